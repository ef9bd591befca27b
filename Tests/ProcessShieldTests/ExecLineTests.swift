import Testing

@testable import ProcessShield

@Suite("Exec lines", .timeLimit(.minutes(5)))
struct ExecLineTests {
    @Test(
        "X-1: quoting, field codes and what stands before the command",
        arguments: [
            ("chess", ["chess"]),
            ("chess %U", ["chess"]),
            ("chess --new %f --after", ["chess", "--new"]),
            ("chess --file=%f --after", ["chess"]),
            ("chess 100%% sure", ["chess", "100%", "sure"]),
            (#""/opt/My Game/start" "a \"b\" \$c \\ d""#, ["/opt/My Game/start", #"a "b" $c \ d"#]),
            (#"chess """#, ["chess", ""]),
            ("  chess\t-x  ", ["chess", "-x"]),
            ("env A=b C=d chess -x", ["chess", "-x"]),
            ("/usr/bin/env -u LANG -i chess", ["chess"]),
            ("A=b chess", ["chess"]),
            ("env nice -n 5 nohup chess", ["chess"]),
            ("chess A=b", ["chess", "A=b"]),
            ("gamemoderun env -- chess", ["chess"]),
            ("sh -c \"exec chess\"", ["sh", "-c", "exec chess"]),
            ("env -S \"A=b chess -x\" -y", ["chess", "-x", "-y"]),
            ("env -Schess", ["chess"]),
            ("env --split-string=\"nice chess\" %f", ["chess"]),
            ("env -C /opt --chdir=/opt -C/opt chess", ["chess"]),
            ("timeout -k 1 -s KILL 5 chess 5", ["chess", "5"]),
            ("taskset -c 0 chess", ["chess"]),
            ("firejail --private=x chess", ["chess"]),
            ("stdbuf -o L -eL chess", ["chess"]),
            ("prlimit --nofile=100 -n=5 chess -x", ["chess", "-x"]),
            ("choom -n 500 -- chess -n", ["chess", "-n"]),
            ("uclampset -m 0 -M 50 chess", ["chess"]),
            ("numactl -i 0 --cpunodebind 1 --membind=0 chess", ["chess"]),
            ("tini -g -p SIGTERM -- chess", ["chess"]),
            ("dumb-init -c -r 15:3 chess", ["chess"]),
            ("gosu player chess", ["chess"]),
            ("su-exec player chess -x", ["chess", "-x"]),
            ("cpulimit -l 50 -z -- chess", ["chess"]),
            ("faketime -f \"2024-01-01 10:00\" chess", ["chess"]),
            ("daemonize -a -c /opt -E A=b /opt/chess", ["/opt/chess"]),
            ("openvt -c 8 -s -- chess", ["chess"]),
            ("schedtool -B -n 5 -a 0x1 -e chess -x", ["chess", "-x"]),
            ("trickle -s -d 500 -u10 chess", ["chess"]),
            ("apulse chess", ["chess"]),
            ("aa-exec -p mail --namespace=a -- chess", ["chess"]),
            ("cgexec -g cpu,memory:/a --sticky chess", ["chess"]),
            ("pasuspender -s mail -- chess", ["chess"]),
            ("strangle 60 chess", ["chess"]),
            ("strangle 60:30 chess 5", ["chess", "5"]),
            ("game-performance nvidia-offload mullvad-exclude chess", ["chess"]),
            ("sh -c '/opt/My Game/start -x' a", ["sh", "-c", "/opt/My Game/start -x", "a"]),
            ("flatpak run 'org.x.Y' %u", ["flatpak", "run", "org.x.Y"]),
            (#"chess 'a\b"c' d'e f'g '' "it's""#, ["chess", #"a\b"c"#, "de fg", "", "it's"]),
            (#"chess \'a"#, ["chess", "'a"]),
            ("chess '%f' x", ["chess"]),
            ("env -S \"chess 'a b'\"", ["chess", "a b"]),
            ("chess\n-x", ["chess", "-x"]),
            ("\"a\tb\nc d\"", ["a\tb\nc d"]),
            ("env -- -odd -x", ["-odd", "-x"]),
            ("A_1=c chess", ["chess"]),
            ("=b chess", ["=b", "chess"]),
            ("1a=b chess", ["1a=b", "chess"]),
            ("a-b=c chess", ["a-b=c", "chess"]),
            ("é=b chess", ["é=b", "chess"]),
            ("A=\u{301} chess", ["chess"]),
            ("chrt 5 chess", ["chess"]),
            ("flock /tmp/lock chess", ["chess"]),
            ("setarch x86_64 chess", ["chess"]),
            ("/usr/bin/", ["/usr/bin/"]),
        ]
    )
    func parses(_ row: (line: String, words: [String])) {
        let command = ExecLine(row.line)
        #expect(command.map { [$0.program] + $0.arguments } == row.words)
    }

    @Test(
        "X-1: a line without a command is none",
        arguments: [
            "", "   ", "%U", "env A=b", #""open"#, "chess %", #"chess \"#, "nice -n", #""" x"#, "env -S",
            "chess 'open", "chess Bob's",
            "timeout 5",
            "env -S \"env -S 'a\"", #"env -S"\"open""#,
        ]
    )
    func refuses(_ line: String) { #expect(ExecLine(line) == nil) }

    @Test("X-1: a value that splits into itself ends")
    func endless() {
        let line = String(repeating: "env -S ", count: 200) + "chess"
        #expect(ExecLine(line) == nil || ExecLine(line)?.program != "chess")
        for (count, isSplit) in [(7, true), (8, true), (9, false)] {
            let program = ExecLine(String(repeating: "env -S ", count: count) + "chess")?.program
            #expect((program == "chess") == isSplit, "split \(count) times")
        }
    }

    @Test("X-1: of a key that stands twice the last one counts, as it does for the menu that starts it")
    func duplicates() {
        let text = "[Desktop Entry]\nName=A\nExec=one\nPath=/a\n[Other]\nExec=no\n[Desktop Entry]\nExec=two\n"
        let entry = DesktopEntry(parsing: text, languages: [])
        #expect(entry?.name == "A" && entry?.exec == "two" && entry?.folder == "/a")
    }

    @Test("X-1: escapes of the file come before those of the command")
    func escapes() {
        let text = "[Desktop Entry]\r\nName=A\\sB\\\\C\r\nExec=\"a\\\\\\\\b\" c\r\n"
        let entry = DesktopEntry(parsing: text, languages: [])
        #expect(entry?.name == #"A B\C"#)
        #expect(entry?.exec.flatMap(ExecLine.init)?.program == #"a\b"#)
    }

    @Test(
        "X-1: units of systemd name their app",
        arguments: [
            ("app-org.gnome.Chess-1234.scope", "org.gnome.Chess", true),
            ("app-gnome-org.gnome.Chess-1234.scope", "org.gnome.Chess", true),
            ("app-flatpak-org.go.Go-77.scope", "org.go.Go", true),
            (#"app-gnome-my\x2dgame-12.scope"#, "my-game", true),
            ("app-org.gnome.Chess@autostart.service", "org.gnome.Chess", true),
            ("app-org.gnome.Chess.service", "org.gnome.Chess", true),
            ("app-gnome-org.gnome.Chess2-1.scope", "org.gnome.Chess", false),
            ("app-org.gnome.Chess.scope", "org.gnome.Chess", false),
            ("org.gnome.Chess-1.scope", "org.gnome.Chess", false),
            ("app-chess-1.slice", "chess", false),
            ("run-chess-1.scope", "chess", false),
            ("app-chess@1.slice", "chess", false),
            (#"app-a\x0ab\x10-1.scope"#, "a\nb\u{10}", true),
            (#"app-a_b:c.d9-1.scope"#, "a_b:c.d9", true),
            (#"app-\xc3\xa9-1.scope"#, "é", true),
            ("snap.games.chess-3f2504e0-4f89-41d3-9a0c-0305e82c3301.scope", "games_chess", true),
            ("snap.games.chess.3f2504e0-4f89-41d3-9a0c-0305e82c3301.scope", "games_chess", true),
            ("snap.my-games.chess-3f2504e0-4f89-41d3-9a0c-0305e82c3301.scope", "my-games_chess", true),
            ("snap.games.chess-pro-3f2504e0-4f89-41d3-9a0c-0305e82c3301.scope", "games_chess", false),
            ("snap.games.chess-3f2504e0-4f89-41d3-9a0c-0305e82c3301.service", "games_chess", false),
            ("snap.games.chess-3f2504e0-4f89-41d3-9a0c-0305e82c3301.scope", "games", false),
            ("snap.games.chess.scope", "games_chess", false),
        ]
    )
    func units(_ row: (unit: String, id: String, isApp: Bool)) {
        #expect(SystemdUnit.isApp(row.unit, of: row.id) == row.isApp)
    }
}
