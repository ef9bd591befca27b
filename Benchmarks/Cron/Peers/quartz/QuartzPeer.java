import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;
import org.quartz.CronExpression;

/** The contestant Quartz: answers and times for the inputs that `CronBenchmark inputs` wrote. */
final class QuartzPeer {
    private static final String[] ZONES = {"UTC", "America/New_York"};
    /** The best of so many passes counts: what is slower was disturbed. */
    private static final int PASSES = 10;
    /** Passes over everything before any is timed, so that all code is compiled. */
    private static final int WARM_UP = 8;

    private record Row(String group, String text) {}

    private record Visit(int expression, Date instant) {}

    private final List<Row> rows = new ArrayList<>();
    private final List<Date> instants;
    private final List<Date> century;
    private final List<Visit> visits = new ArrayList<>();
    /** What is computed goes here, so that no compiler leaves the work out. */
    private long sink;

    private QuartzPeer(Path folder) throws IOException {
        for (String line : Files.readAllLines(folder.resolve("expressions"))) {
            String[] columns = line.split("\t");
            rows.add(new Row(columns[0], columns[2]));
        }
        instants = dates(folder.resolve("instants"));
        century = dates(folder.resolve("century"));
        for (String line : Files.readAllLines(folder.resolve("visits"))) {
            String[] columns = line.split("\t");
            visits.add(new Visit(Integer.parseInt(columns[0]), date(columns[1])));
        }
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 2) {
            System.err.println("usage: QuartzPeer answers|times INPUTS");
            System.exit(2);
        }
        System.setOut(new PrintStream(new BufferedOutputStream(System.out, 1 << 16)));
        QuartzPeer peer = new QuartzPeer(Path.of(arguments[1]));
        if (arguments[0].equals("answers")) {
            peer.printAnswers();
        } else {
            peer.printTimes();
        }
        System.out.flush();
    }

    private void printAnswers() throws ParseException {
        for (String zone : ZONES) {
            for (int index = 0; index < rows.size(); index++) {
                if (!rows.get(index).group.equals("mixed")) {
                    continue;
                }
                CronExpression expression = parse(index, zone);
                for (Date instant : instants) {
                    long next = expression.getNextValidTimeAfter(instant).getTime() / 1000;
                    System.out.println(zone + "\t" + index + "\t" + instant.getTime() / 1000 + "\t" + next);
                }
            }
        }
    }

    private void printTimes() throws ParseException {
        warmUp();
        for (String zone : ZONES) {
            for (int index = 0; index < rows.size(); index++) {
                CronExpression expression = parse(index, zone);
                switch (rows.get(index).group) {
                    case "mixed" -> tell("next", zone, index, perCall(expression, instants));
                    case "sparse" -> {
                        tell("sparse", zone, index, perCall(expression, instants));
                        tell("sparse-worst", zone, index, worst(expression, instants));
                        tell("century", zone, index, perCall(expression, century));
                        tell("century-worst", zone, index, worst(expression, century));
                    }
                    default -> tell("never", zone, index, perCall(expression, instants.subList(0, 20)));
                }
            }
            tell("cold", zone, "-", cold(zone));
        }
        printParseTimes();
    }

    private void warmUp() throws ParseException {
        for (int round = 0; round < WARM_UP; round++) {
            for (String zone : ZONES) {
                for (int index = 0; index < rows.size(); index++) {
                    if (!rows.get(index).group.equals("never")) {
                        run(parse(index, zone), instants);
                    }
                }
            }
        }
    }

    private void run(CronExpression expression, List<Date> instants) {
        for (Date instant : instants) {
            Date next = expression.getNextValidTimeAfter(instant);
            sink += next == null ? 0 : next.getTime();
        }
    }

    /** The time of one call in a loop over the instants. */
    private double perCall(CronExpression expression, List<Date> instants) {
        return best(PASSES, instants.size(), () -> run(expression, instants));
    }

    /** The time of a call at the instant where it takes longest. */
    private double worst(CronExpression expression, List<Date> instants) {
        final int repetitions = 64;
        double slowest = 0;
        for (Date instant : instants) {
            List<Date> same = java.util.Collections.nCopies(repetitions, instant);
            slowest = Math.max(slowest, best(5, repetitions, () -> run(expression, same)));
        }
        return slowest;
    }

    /** The time of a call when expressions and instants come in random order. */
    private double cold(String zone) throws ParseException {
        CronExpression[] expressions = new CronExpression[rows.size()];
        for (int index = 0; index < expressions.length; index++) {
            expressions[index] = parse(index, zone);
        }
        return best(3, visits.size(), () -> {
            for (Visit visit : visits) {
                sink += expressions[visit.expression].getNextValidTimeAfter(visit.instant).getTime();
            }
        });
    }

    private void printParseTimes() {
        final int texts = 5_000;
        double varied = best(PASSES, texts, () -> {
            for (Visit visit : visits.subList(0, texts)) {
                sink += read(rows.get(visit.expression).text).hashCode();
            }
        });
        tell("parse", "-", "-", varied);
        for (int index = 0; index < rows.size(); index++) {
            if (rows.get(index).group.equals("mixed")) {
                String text = rows.get(index).text;
                double one = best(PASSES, 200, () -> {
                    for (int repetition = 0; repetition < 200; repetition++) {
                        sink += read(text).hashCode();
                    }
                });
                tell("parse-one", "-", index, one);
            }
        }
    }

    private CronExpression parse(int index, String zone) throws ParseException {
        CronExpression expression = new CronExpression(rows.get(index).text);
        expression.setTimeZone(TimeZone.getTimeZone(zone));
        return expression;
    }

    private static CronExpression read(String text) {
        try {
            return new CronExpression(text);
        } catch (ParseException error) {
            throw new IllegalArgumentException(text, error);
        }
    }

    /** The nanoseconds per call of the fastest pass. */
    private static double best(int passes, int calls, Runnable pass) {
        double fastest = Double.POSITIVE_INFINITY;
        for (int count = 0; count < passes; count++) {
            long begin = System.nanoTime();
            pass.run();
            fastest = Math.min(fastest, (double) (System.nanoTime() - begin) / calls);
        }
        return fastest;
    }

    private static void tell(String measure, String zone, Object index, double nanoseconds) {
        System.out.printf(Locale.ROOT, "%s\t%s\t%s\t%.2f%n", measure, zone, index, nanoseconds);
    }

    private static List<Date> dates(Path path) throws IOException {
        return Files.readAllLines(path).stream().map(QuartzPeer::date).toList();
    }

    private static Date date(String seconds) {
        return new Date(Long.parseLong(seconds) * 1000);
    }
}
