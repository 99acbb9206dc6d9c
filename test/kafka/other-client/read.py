"""Reads a Kafka topic to its end with Confluent's client and Avro deserializer, and prints each record as a line of JSON."""

import datetime
import json
import sys

from confluent_kafka import Consumer, KafkaError, TopicPartition
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer
from confluent_kafka.serialization import MessageField, SerializationContext


def plain(value):
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    if isinstance(value, datetime.datetime):  # Avro's timestamp-millis.
        return (value - datetime.datetime.fromtimestamp(0, datetime.timezone.utc)) // datetime.timedelta(milliseconds=1)
    raise TypeError(f"no JSON for {type(value)}")


def main(topic, kafka, registry):
    deserializer = AvroDeserializer(SchemaRegistryClient(registry))
    consumer = Consumer(
        {
            **kafka,
            "group.id": "loomlog-other-client",
            "enable.auto.commit": False,
            "isolation.level": "read_committed",
            "enable.partition.eof": True,
        }
    )
    unfinished = set(consumer.list_topics(topic, timeout=20).topics[topic].partitions)
    consumer.assign([TopicPartition(topic, partition, 0) for partition in unfinished])
    while unfinished:
        message = consumer.poll(1)
        if message is None:
            continue
        if message.error() is None:
            print(json.dumps(line(message, deserializer), default=plain))
        elif message.error().code() == KafkaError._PARTITION_EOF:
            unfinished.discard(message.partition())
        else:
            raise SystemExit(str(message.error()))
    consumer.close()


def line(message, deserializer):
    key = message.key()
    where = {"partition": message.partition(), "offset": message.offset(), "key": key and key.decode("utf-8")}
    try:
        context = SerializationContext(message.topic(), MessageField.VALUE)
        return {**where, "value": deserializer(message.value(), context)}
    except Exception as error:  # The value fits no schema of the registry.
        return {**where, "unreadable": str(error)}


if __name__ == "__main__":
    if len(sys.argv) != 4:
        raise SystemExit("usage: read.py TOPIC KAFKA-SETTINGS REGISTRY-SETTINGS, both as JSON")
    main(sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3]))
