/// Programs without which a person cannot use, or get back, the machine, and those that only start others.
///
/// By the name of the real file, because a desktop entry may call it anything.
enum ProtectedPrograms {
    /// Why a program is never shielded; `nil` for one that may be.
    static func reason(for path: String) -> String? {
        let name = ExecLine.baseName(path)
        for (names, reason) in table {
            if names.contains(name) { return reason }
        }
        // Versions, such as python3.11 and Xorg.bin.
        if isLauncher(path) { return "it starts many other programs" }
        for (prefixes, reason) in families where prefixes.contains(where: name.hasPrefix) { return reason }
        return nil
    }

    /// Whether a program runs apps that are not its own, so that it says nothing about which app it is.
    static func isLauncher(_ path: String) -> Bool {
        let name = ExecLine.baseName(path)
        if launchers.contains(name) { return true }
        let stem = name.prefix { !$0.isNumber && $0 != "-" }
        return stem != name && versioned.contains(String(stem))
            && name.dropFirst(stem.count).allSatisfy { $0.isNumber || $0 == "." || $0 == "-" }
    }

    private static let launchers: Set<String> = [
        "flatpak", "bwrap", "snap", "snap-confine", "env", "python", "perl", "ruby", "node", "nodejs", "java",
        "mono",
        "wine", "wine64", "wine-preloader", "wine64-preloader", "steam", "steam-runtime", "gjs",
        "gjs-console",
        "electron", "xdg-open", "gtk-launch", "gio", "dotnet", "php", "lua", "busybox",
    ]
    private static let versioned: Set<String> = [
        "python", "perl", "ruby", "lua", "php", "electron", "node", "wine",
    ]

    private static let table: [(names: Set<String>, reason: String)] = [
        (
            [
                "sh", "bash", "dash", "zsh", "fish", "ksh", "mksh", "tcsh", "csh", "ash", "nu", "elvish",
                "rbash",
                "pwsh",
            ], "it is a shell"
        ),
        (
            [
                "xterm", "uxterm", "gnome-terminal", "gnome-terminal-server", "gnome-console", "kgx",
                "konsole",
                "xfce4-terminal", "lxterminal", "mate-terminal", "qterminal", "alacritty", "kitty", "foot",
                "footclient", "wezterm", "wezterm-gui", "tilix", "terminator", "urxvt", "rxvt", "st",
                "ptyxis",
                "ghostty", "screen", "tmux", "sshd", "ssh", "mosh-server",
            ], "it is a terminal"
        ),
        (
            [
                "Xorg", "X", "Xwayland", "Xvfb", "Xephyr", "gnome-shell", "mutter", "kwin_x11",
                "kwin_wayland",
                "plasmashell", "sway", "weston", "wayfire", "labwc", "Hyprland", "xfwm4", "xfce4-session",
                "xfce4-panel", "openbox", "i3", "cinnamon", "marco", "metacity", "budgie-wm", "cosmic-comp",
                "river",
            ], "it draws the desktop"
        ),
        (
            [
                "dbus-daemon", "dbus-broker", "dbus-broker-launch", "polkitd", "pkexec",
                "polkit-gnome-authentication-agent-1",
                "polkit-kde-authentication-agent-1", "gnome-keyring-daemon", "kwalletd5", "kwalletd6",
                "gpg-agent",
                "ssh-agent", "pipewire", "wireplumber", "pulseaudio", "xdg-desktop-portal",
            ], "other programs depend on it"
        ),
        (
            [
                "gdm", "gdm3", "gdm-session-worker", "sddm", "sddm-helper", "lightdm", "login", "agetty",
                "greetd",
                "xdm", "su", "sudo", "doas", "systemd", "init", "systemd-logind", "elogind", "gnome-session",
                "gnome-session-binary", "startplasma-wayland", "startplasma-x11", "ksmserver", "swaylock",
                "xscreensaver", "gnome-screensaver",
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

    private static let families: [(prefixes: [String], reason: String)] = [
        (["systemd-"], "it belongs to the system"),
        (["ibus-", "fcitx5-"], "it is an input method"),
        (["gvfsd", "xdg-desktop-portal-"], "other programs depend on it"),
    ]
}
