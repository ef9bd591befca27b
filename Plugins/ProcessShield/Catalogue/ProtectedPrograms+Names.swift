extension ProtectedPrograms {
    static let table: [(names: Set<String>, reason: String)] = [
        (launchers.union(ExecLine.wrappers.keys), launcherReason),
        (
            [
                "sh", "bash", "dash", "zsh", "fish", "ksh", "lksh", "mksh", "yash", "tcsh", "csh", "ash",
                "ion", "nu", "nushell", "elvish", "xonsh", "rbash", "rzsh", "pwsh", "oksh", "posh", "pdksh",
                "osh",
                "ysh",
                "brush", "rc", "sash", "scsh", "murex", "hush", "oils-for-unix", "bsd-csh", "loksh", "mrsh",
            ], shellReason
        ),
        (terminals, terminalReason),
        (
            [
                "Xorg", "X", "Xwayland", "Xvfb", "Xephyr", "gnome-shell", "mutter", "kwin_x11",
                "kwin_wayland",
                "plasmashell", "sway", "weston", "wayfire", "labwc", "Hyprland", "xfwm4", "xfce4-session",
                "xfce4-panel", "openbox", "i3", "cinnamon", "marco", "metacity", "budgie-wm", "cosmic-comp",
                "river", "niri", "cage", "gamescope", "awesome", "bspwm", "dwm", "xmonad", "fluxbox",
                "icewm", "xfdesktop", "waybar", "Xtigervnc", "Xvnc", "Xnest", "kwin", "kded5", "kded6",
                "kglobalaccel5", "kglobalacceld", "qtile", "enlightenment", "fvwm", "fvwm3", "jwm", "twm",
                "dwl", "blackbox", "sxwm",
                "herbstluftwm", "spectrwm", "leftwm", "compiz", "muffin", "gala", "phoc", "phosh",
                "deepin-kwin_x11", "deepin-kwin_wayland", "mutter-x11-frames", "hyprland", "lxpanel",
                "pcmanfm",
                "pcmanfm-qt", "nemo-desktop", "caja", "swaybg", "picom", "compton", "xfsettingsd",
            ], "it draws the desktop"
        ),
        (
            [
                "xrdp", "xrdp-sesman", "xrdp-chansrv", "x11vnc", "wayvnc", "krfb",
                "gnome-remote-desktop-daemon", "vino-server",
            ], "it shows the desktop on another machine"
        ),
        (
            [
                "dbus-daemon", "dbus-broker", "dbus-broker-launch", "polkitd", "pkexec",
                "polkit-gnome-authentication-agent-1",
                "polkit-kde-authentication-agent-1", "gnome-keyring-daemon", "kwalletd5", "kwalletd6",
                "gpg-agent",
                "ssh-agent", "xdg-document-portal", "dconf-service", "pipewire", "wireplumber", "pulseaudio",
                "xdg-desktop-portal", "lxpolkit",
                "wineserver", "wineserver32", "wineserver64", "xfce-polkit", "hyprpolkitagent",
                "lxqt-policykit-agent", "ssh-askpass",
            ], sharedReason
        ),
        (
            [
                "gdm", "gdm3", "gdm-session-worker", "sddm", "sddm-helper", "lightdm", "login", "agetty",
                "greetd",
                "xdm", "su", "sudo", "doas", "run0", "runuser", "systemd", "init", "systemd-logind",
                "elogind", "loginctl", "systemctl", "runit", "runsvdir", "s6-svscan", "gnome-session",
                "gnome-session-binary", "startplasma-wayland", "startplasma-x11", "ksmserver", "swaylock",
                "xscreensaver", "gnome-screensaver", "xfce4-screensaver", "i3lock", "hyprlock", "gtklock",
                "xsecurelock", "sudo-rs", "su-rs", "slock", "waylock", "light-locker", "xlock", "physlock",
                "vlock", "mate-screensaver", "cinnamon-screensaver", "kscreenlocker_greet", "tuigreet",
                "lemurs",
                "emptty", "lxsession", "dropbear", "ly", "gnome-session-service",
            ], "it belongs to logging in"
        ),
        (
            [
                "ibus-daemon", "fcitx", "fcitx5", "onboard", "squeekboard", "maliit-keyboard", "scim",
                "uim-xim", "gcin", "hime", "kime", "nimf", "wvkbd-mobintl", "florence",
            ],
            "it is an input method"
        ),
        (
            [
                "orca", "speech-dispatcher", "at-spi-bus-launcher", "at-spi2-registryd", "brltty", "espeakup",
                "kmag", "magnus", "gnome-magnifier",
            ],
            "people need it to use the machine"
        ),
        (
            [
                "apt", "apt-get", "aptitude", "dpkg", "dnf", "yum", "rpm", "zypper", "pacman", "packagekitd",
                "gnome-software", "plasma-discover", "synaptic", "unattended-upgrade", "fwupdmgr", "fwupd",
                "emerge",
                "apk", "snapd", "nix", "nix-daemon", "rpm-ostree", "pamac", "pamac-manager", "octopi", "yay",
                "paru", "update-manager", "mintupdate", "mintinstall", "gdebi-gtk", "pkcon", "guix",
                "guix-daemon", "xbps-install", "eopkg", "yast2", "cosmic-store", "snap-store", "dnfdragora",
                "gnome-packagekit", "io.elementary.appcenter",
            ], "it installs and updates programs"
        ),
    ]

    static let families: [(prefixes: [String], reason: String)] = [
        (["systemd-"], "it belongs to the system"),
        (["ibus-", "fcitx5-"], "it is an input method"),
        (["gvfsd", "xdg-desktop-portal-", "gsd-", "polkit-", "pinentry"], sharedReason),
        (["sshd-"], terminalReason),
        (["dnf5"], "it installs and updates programs"),
        // Emulators of a processor, such as `qemu-x86_64`, and wrappers that provide a graphics driver, such
        // as `nixGLIntel`.
        (["qemu-", "nixGL"], launcherReason),
    ]

    /// Parts of desktops. A program is protected if its name is a desktop's name, a dash and one of these
    /// parts, such as `mate-panel`.
    static let parts: [(names: Set<String>, reason: String)] = [
        (["session"], "it belongs to logging in"), (["panel", "settings-daemon"], "it draws the desktop"),
    ]

    static let desktops: Set<String> = [
        "gnome", "plasma", "kde", "xfce", "xfce4", "mate", "cinnamon", "lxde", "lxqt", "lumina", "budgie",
        "cosmic", "deepin", "dde", "ukui", "unity", "pantheon", "phosh", "trinity", "enlightenment", "sway",
        "hyprland", "wayfire", "labwc",
    ]

    /// Apps that are no shells, although their names begin with the name of a shell and a dash.
    static let namesakes: Set<String> = ["dash-qt", "dash-electrum", "fish-fillets", "fish-fillets-ng"]

    /// Endings of files that an interpreter or an emulator runs. The author of such a file chooses its name
    /// freely. So `bash.py` does not count as a build of `bash`.
    static let fileTypes: Set<String> = [
        "py", "pyw", "pl", "rb", "js", "mjs", "lua", "jar", "tcl", "php", "swf", "exe", "love", "AppImage",
        "html",
    ]

    /// Programs that contain many commands. The name by which the program is called, or its first argument,
    /// selects the command.
    ///
    /// Programs that select the version of a language belong to this set, since `python3` may be a link to
    /// one of them.
    static let multiCall: Set<String> = [
        "busybox", "toybox", "coreutils", "uutils", "uutils-coreutils", "rust-coreutils", "python-exec",
        "python-exec2", "python-exec2c", "rustup", "volta", "volta-shim", "qtchooser", "pyenv", "rbenv",
        "nodenv", "jenv", "plenv", "asdf", "mise", "rtx", "proto", "proto-shim", "fnm", "shadowenv",
    ]

    private static let launchers: Set<String> = multiCall.union([
        "flatpak", "bwrap", "snap", "snap-confine", "python", "pypy", "perl", "ruby", "jruby", "raku", "node",
        "nodejs",
        "deno", "bun", "java", "mono", "dotnet", "php", "lua", "luajit", "tclsh", "wish", "expect", "guile",
        "awk", "gawk", "mawk", "nawk", "escript", "Rscript", "qml", "qmlscene",
        "wine", "wine64", "wineloader", "wine-preloader", "wine64-preloader", "box64", "box86",
        "steam", "steam-runtime", "gjs", "gjs-console", "electron", "xdg-open", "gtk-launch", "gio",
        "exo-open", "kde-open", "strace", "ltrace", "gdb", "gdbserver", "valgrind", "xargs", "find", "script",
        "podman", "docker", "distrobox", "distrobox-enter", "toolbox", "xdg-terminal-exec",
        "gapplication", "gdbus", "dbus-send", "busctl", "flatpak-spawn", "dex", "uwsm", "kioclient",
        "kioclient5",
        "kstart", "kstart5", "gksu", "gksudo", "kdesu", "lxqt-sudo", "sg", "newgrp", "nsenter", "watch",
        "parallel", "make", "npm", "npx", "cargo", "uv", "julia", "octave", "racket", "ipython3", "true",
        "false", "chroot", "capsh", "runcon", "start-stop-daemon", "proot", "rlwrap", "xinit", "startx",
        "switcherooctl", "uwsm-app", "app2unit", "umu-run", "steam-run", "appimage-run", "mpirun",
        "git", "ninja", "meson", "cmake", "just", "yarn", "pnpm", "gradle", "mvn", "mono-sgen", "mono-boehm",
        "original-awk", "rustc", "corepack", "love", "nw", "nwjs", "swipl", "sbcl", "clisp", "erl",
        "beam.smp", "elixir", "iex", "runghc", "groovy", "scala", "ocaml", "qjs", "janet", "gforth", "tsx",
        "ts-node", "graalpy", "truffleruby", "sensible-browser", "sensible-editor", "sensible-pager",
        "perf", "heaptrack", "apitrace", "renderdoccmd", "schroot", "machinectl", "bubblejail", "ip",
        "pressure-vessel-wrap", "pressure-vessel-launch", "su-to-root", "kdesudo", "beesu", "gksu-polkit",
        "gvfs-open", "gnome-open", "mimeopen", "mimeo", "handlr", "run-mailcap",
        // Each of these programs runs another program, which its arguments and the current folder select.
        "bundle", "bundler", "rake", "swift", "poetry", "pipenv", "pdm", "pip", "pipx", "conda", "mamba",
        "micromamba", "nix", "nix-shell", "guix", "direnv", "sbt", "lein", "rebar3", "flutter", "clojure",
        "clj",
        "kotlin", "kotlinc", "cabal", "unbuffer", "socat",
    ])

    private static let terminals: Set<String> = [
        "xterm", "uxterm", "lxterm", "koi8rxvt", "gnome-terminal", "gnome-terminal-server", "gnome-console",
        "kgx", "konsole", "yakuake", "guake", "tilda", "deepin-terminal", "io.elementary.terminal",
        "xfce4-terminal", "lxterminal", "mate-terminal", "qterminal", "alacritty", "kitty", "foot",
        "footclient", "wezterm", "wezterm-gui", "wezterm-mux-server", "tilix", "terminator", "terminology",
        "urxvt", "urxvtc", "urxvtd", "rxvt", "st", "stterm", "mlterm", "sakura", "termite", "roxterm",
        "cool-retro-term", "contour", "rio", "cosmic-term", "ptyxis", "ptyxis-agent", "ghostty", "screen",
        "tmux", "zellij", "dtach", "abduco", "rxvt-unicode", "weston-terminal", "lilyterm", "zutty", "Eterm",
        "tabby", "byobu", "tmate", "sshd", "ssh", "mosh-server", "mosh-client", "etserver", "ttyd", "shpool",
        "kmscon", "fbterm",
        "pantheon-terminal", "lxqt-terminal", "mintty", "tym", "aterm", "eterm", "warp-terminal",
        "cutefish-terminal", "x-terminal-emulator",
    ]
}
