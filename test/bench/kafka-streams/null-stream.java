import java.nio.file.Files;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Produced;

/**
 * A processor that does nothing, in Kafka Streams with exactly_once_v2 and otherwise its defaults. It writes one record of the given size
 * for every input record. It prints the time in ms from the first record to the commit of the last, for each of two runs; the first run
 * warms up.
 * Arguments: brokers, input, output, records in all, bytes of an output, partitions (a thread for each).
 */
final class NullStream {
  public static void main(String[] args) throws Exception {
    for (int run = 0; run < 2; run++) {
      System.out.println(millis(args, "null-stream-" + System.nanoTime()));
    }
  }

  private static long millis(String[] args, String application) throws Exception {
    byte[] output = new byte[Integer.parseInt(args[4])];
    AtomicLong startedAt = new AtomicLong();
    Serde<byte[]> bytes = Serdes.ByteArray();
    StreamsBuilder builder = new StreamsBuilder();
    builder
        .stream(args[1], Consumed.with(bytes, bytes))
        .mapValues(
            value -> {
              startedAt.compareAndSet(0, System.nanoTime());
              return output;
            })
        .to(args[2], Produced.with(bytes, bytes));
    Properties settings = new Properties();
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, application);
    settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, args[0]);
    settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    settings.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, Integer.parseInt(args[5]));
    settings.put(StreamsConfig.STATE_DIR_CONFIG, Files.createTempDirectory("null-stream").toString());
    try (KafkaStreams streams = new KafkaStreams(builder.build(), settings);
        Admin admin = Admin.create(Map.of("bootstrap.servers", args[0]))) {
      streams.start();
      while (committed(admin, application) < Long.parseLong(args[3])) {
        TimeUnit.MILLISECONDS.sleep(10);
      }
      return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startedAt.get());
    }
  }

  /** The sum of the committed offsets: the number of processed records, since the input has no control records. */
  private static long committed(Admin admin, String group) throws Exception {
    try {
      return admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get().values().stream()
          .filter(offset -> offset != null)
          .mapToLong(offset -> offset.offset())
          .sum();
    } catch (java.util.concurrent.ExecutionException notThereYet) {
      return 0;
    }
  }
}
