"""Makes vectors.bin: static word vectors that imitate a sentence model.

A sentence model (the teacher) embeds a corpus of short texts. The vectors of the word pieces are then the least-squares solution of
"the sum of a text's pieces, divided by the root of their number, is the teacher's vector of the text", found by conjugate gradients. The
start, and the pull for rare pieces, is the teacher's vector of each piece alone, weighted by the piece's rank (as Model2Vec does). The
teacher's 384 dimensions are cut to 256 by principal components.

    pip install numpy scipy onnxruntime tokenizers
    python distil.py teach --model model.onnx --tokenizer tokenizer.json --corpus corpus.json --out teacher.npz
    python distil.py train --tokenizer tokenizer.json --corpus corpus.json --teacher teacher.npz --out vectors.bin

corpus.json is a list of texts; README.md names those of the shipped vectors. `teach` takes 6 ms a text on one core, `train` a minute.
"""
import argparse
import json

import numpy as np

DIMENSIONS = 256
MAX_PIECES = 128
CLS, SEP = 101, 102
# Weight of a piece's start value in the fit, where a text of this piece alone weighs 1.
PULL = 1e-3


def pieces_of(tokenizer_file):
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(tokenizer_file)
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_PIECES)
    encode = lambda texts: [each.ids for each in tokenizer.encode_batch(texts, add_special_tokens=False)]
    return encode, tokenizer.get_vocab_size()


def teacher_of(model_file):
    import onnxruntime

    session = onnxruntime.InferenceSession(model_file)

    def embed(rows):
        """Mean over the pieces, as the model was trained."""
        width = max(len(row) for row in rows)
        ids = np.array([row + [0] * (width - len(row)) for row in rows], np.int64)
        mask = np.array([[1] * len(row) + [0] * (width - len(row)) for row in rows], np.int64)
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        (hidden,) = session.run(None, feed)
        return (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)

    return embed


def teach(model, tokenizer, corpus, out):
    encode, size = pieces_of(tokenizer)
    embed = teacher_of(model)
    with open(corpus) as file:
        rows = [[CLS, *ids[: MAX_PIECES - 2], SEP] for ids in encode(json.load(file))]
    texts = np.zeros((len(rows), 384), np.float16)
    by_length = np.argsort([len(row) for row in rows], kind="stable")
    for at in range(0, len(rows), 64):
        batch = by_length[at : at + 64]
        vectors = embed([rows[i] for i in batch])
        texts[batch] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    alone = np.concatenate([embed([[CLS, piece, SEP] for piece in range(at, min(at + 256, size))]) for at in range(0, size, 256)])
    np.savez(out, texts=texts, pieces=alone)


def train(tokenizer, corpus, teacher, out):
    import scipy.sparse as sparse

    encode, size = pieces_of(tokenizer)
    with open(corpus) as file:
        rows = encode(json.load(file))
    made = np.load(teacher)
    wanted = made["texts"].astype(np.float32)
    wanted -= wanted.mean(0)
    components = np.linalg.svd(wanted[:40_000], full_matrices=False)[2][:DIMENSIONS].T
    wanted = wanted @ components

    ends = np.cumsum([0] + [len(row) for row in rows])
    shares = np.concatenate([np.full(len(row), len(row) ** -0.5, np.float32) for row in rows if row])
    texts = sparse.csr_matrix((shares, np.concatenate([np.array(row, int) for row in rows]), ends), shape=(len(rows), size))
    start = (made["pieces"] - made["pieces"].mean(0)) @ components
    rank = np.arange(1, size + 1)
    probability = 1 / rank / (1 / rank).sum()
    start *= (1e-3 / (1e-3 + probability))[:, None]
    start *= np.sum((texts @ start) * wanted) / np.sum((texts @ start) ** 2)
    write(solve(texts, wanted, start.astype(np.float32)), out)


def solve(texts, wanted, start, rounds=40):
    """Minimises |texts·vectors − wanted|² + PULL·|vectors − start|², by conjugate gradients, every dimension by itself."""
    back = texts.T.tocsr()
    vectors = start.copy()
    rest = back @ (wanted - texts @ vectors)
    direction, size = rest.copy(), (rest * rest).sum(0)
    for _ in range(rounds):
        step = back @ (texts @ direction) + PULL * direction
        along = size / np.maximum((direction * step).sum(0), 1e-20)
        vectors += along * direction
        rest -= along * step
        before, size = size, (rest * rest).sum(0)
        direction = rest + size / np.maximum(before, 1e-20) * direction
    return vectors


def write(vectors, out):
    vectors[[0, 100, CLS, SEP, 103]] = 0  # [PAD], [UNK], [CLS], [SEP], [MASK]
    scales = (np.abs(vectors).max(1) / 127).astype("<f4")
    rows = np.rint(vectors / np.maximum(scales, 1e-20)[:, None]).astype(np.int8)
    with open(out, "wb") as file:
        file.write(rows.tobytes())
        file.write(scales.tobytes())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for run, names in ((teach, "model tokenizer corpus out"), (train, "tokenizer corpus teacher out")):
        command = commands.add_parser(run.__name__)
        for name in names.split():
            command.add_argument(f"--{name}", required=True)
        command.set_defaults(run=run)
    arguments = vars(parser.parse_args())
    arguments.pop("run")(**arguments)
