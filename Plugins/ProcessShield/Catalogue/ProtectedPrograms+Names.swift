extension ProtectedPrograms {
    static let table: [(names: Set<String>, reason: String)] = [
        (launchers.union(ExecLine.wrappers.keys), launcherReason),
        (
            [
                "sh", "bash", "dash", "zsh", "fish", "ksh", "lksh", "mksh", "yash", "tcsh", "csh", "ash",
                "nu", "elvish", "xonsh", "rbash", "rzsh", "pwsh", "oksh", "posh",
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
                "icewm", "xfdesktop", "waybar", "Xtigervnc",
            ], "it draws the desktop"
        ),
        (
            [
                "dbus-daemon", "dbus-broker", "dbus-broker-launch", "polkitd", "pkexec",
                "polkit-gnome-authentication-agent-1",
                "polkit-kde-authentication-agent-1", "gnome-keyring-daemon", "kwalletd5", "kwalletd6",
                "gpg-agent",
                "ssh-agent", "pipewire", "wireplumber", "pulseaudio", "xdg-desktop-portal",
            ], sharedReason
        ),
        (
            [
                "gdm", "gdm3", "gdm-session-worker", "sddm", "sddm-helper", "lightdm", "login", "agetty",
                "greetd",
                "xdm", "su", "sudo", "doas", "run0", "runuser", "systemd", "init", "systemd-logind",
                "elogind", "loginctl", "systemctl", "gnome-session",
                "gnome-session-binary", "startplasma-wayland", "startplasma-x11", "ksmserver", "swaylock",
                "xscreensaver", "gnome-screensaver", "xfce4-screensaver", "i3lock", "hyprlock", "gtklock",
                "xsecurelock", "sudo-rs", "su-rs",
            ], "it belongs to logging in"
        ),
        (
            [
                "ibus-daemon", "fcitx", "fcitx5", "onboard", "squeekboard", "maliit-keyboard", "scim",
                "uim-xim",
            ],
            "it is an input method"
        ),
        (
            [
                "orca", "speech-dispatcher", "at-spi-bus-launcher", "at-spi2-registryd", "brltty", "espeakup",
                "kmag",
            ],
            "people need it to use the machine"
        ),
        (
            [
                "apt", "apt-get", "aptitude", "dpkg", "dnf", "yum", "rpm", "zypper", "pacman", "packagekitd",
                "gnome-software", "plasma-discover", "synaptic", "unattended-upgrade", "fwupdmgr", "fwupd",
                "emerge",
                "apk", "snapd", "nix", "nix-daemon",
            ], "it installs and updates programs"
        ),
    ]

    static let families: [(prefixes: [String], reason: String)] = [
        (["systemd-"], "it belongs to the system"),
        (["ibus-", "fcitx5-"], "it is an input method"),
        (["gvfsd", "xdg-desktop-portal-"], sharedReason),
    ]

    /// Programs of many commands: which one is meant says the name they are called by, or the first argument.
    static let multiCall: Set<String> = ["busybox", "toybox", "coreutils"]

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
        "false",
    ])

    private static let terminals: Set<String> = [
        "xterm", "uxterm", "lxterm", "koi8rxvt", "gnome-terminal", "gnome-terminal-server", "gnome-console",
        "kgx", "konsole", "yakuake", "guake", "tilda", "deepin-terminal", "io.elementary.terminal",
        "xfce4-terminal", "lxterminal", "mate-terminal", "qterminal", "alacritty", "kitty", "foot",
        "footclient", "wezterm", "wezterm-gui", "wezterm-mux-server", "tilix", "terminator", "terminology",
        "urxvt", "urxvtc", "urxvtd", "rxvt", "st", "stterm", "mlterm", "sakura", "termite", "roxterm",
        "cool-retro-term", "contour", "rio", "cosmic-term", "ptyxis", "ptyxis-agent", "ghostty", "screen",
        "tmux", "zellij", "dtach", "abduco", "rxvt-unicode", "weston-terminal", "lilyterm", "zutty", "Eterm",
        "tabby", "byobu", "tmate", "sshd", "ssh", "mosh-server", "mosh-client",
    ]
}
