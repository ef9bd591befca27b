/// The pages of the made-up tool, as they are to be.
extension PageTests {
    static let toolPage = #"""
        .\" Made by ManPages of Portcullis.
        .TH "TOOL" "1" "2026-01-31" "tool 1.2" "Portcullis"
        .SH "NAME"
        tool \- Keeps things
        .SH "SYNOPSIS"
        \fBtool\fR
        \fIcommand\fR
        \&...
        .SH "DESCRIPTION"
        Keeps things.
        .PP
        First.
        .PP
        Second.
        .SH "OPTIONS"
        .TP
        \fB\-h\fR, \fB\-\-help\fR
        Show help.
        .SH "COMMANDS"
        .TP
        \fBget\fR, \fBg\fR, \fBfetch\fR
        Get one thing, which is a long text that has to be wrapped into lines of the
        right width
        .TP
        \fBguard\fR
        Guard it.
        .TP
        \fBfocus\fR
        Focus
        .SH "EXIT STATUS"
        .TP
        \fB0\fR
        Yes, or done.
        .TP
        \fB1\fR
        No: a wrong passcode, no such secret, no further time.
        .TP
        \fB2\fR
        Usage, or invalid input.
        .TP
        \fB3\fR
        A wrong key or passphrase.
        .TP
        \fB4\fR
        A damaged file.
        .TP
        \fB5\fR
        No passcode is taken now: during a delay, or at a limit of the TPM or of an
        app.
        .TP
        \fB6\fR
        Busy: another process wrote for too long.
        .TP
        \fB7\fR
        The system refused: permissions, a full disk, a closed output.
        .TP
        \fB8\fR
        A file of a newer format.
        .TP
        \fB9\fR
        A file that was rolled back to an older state.
        .TP
        \fB10\fR
        The item\(aqs class is locked: the store is sealed, and this is no unlocked
        session.
        .TP
        \fB130\fR
        Ctrl\-C at a prompt.
        .TP
        \fB125\fR
        \fBportcullis guard\fR itself failed, or did not start its program.
        .SH "FILES"
        .TP
        \fI\(ti/.local/share/portcullis/default.keystore\fR
        The store, unless \fB\-\-store\fR names another; below \fBXDG_DATA_HOME\fR
        where that is set.
        .TP
        \fI\(ti/.config/portcullis/default.key\fR
        The key file, unless \fB\-\-key\-file\fR names another; below
        \fBXDG_CONFIG_HOME\fR where that is set.
        .SH "ENVIRONMENT"
        .TP
        \fBHOME, XDG_DATA_HOME, XDG_CONFIG_HOME\fR
        Where the files lie.
        .TP
        \fBPORTCULLIS_AGENT\fR
        The socket of the session that the process runs in, set by \fBportcullis
        guard\fR of a sealed store.
        .TP
        \fBSHELL\fR
        What \fBportcullis guard\fR runs unless a program is named.
        .TP
        \fBTZ\fR
        The time zone, by its IANA name, where no option names one.
        .SH "SEE ALSO"
        \fBtool\-get\fR(1),
        \fBtool\-guard\fR(1),
        \fBtool\-focus\fR(1)

        """#

    static let getPage = #"""
        .\" Made by ManPages of Portcullis.
        .TH "TOOL-GET" "1" "2026-01-31" "tool 1.2" "Portcullis"
        .SH "NAME"
        tool\-get \- Get one thing, which is a long text that has to be wrapped into
        lines of the right width
        .SH "SYNOPSIS"
        \fBtool get\fR
        \fB\-\-key\fR \fIvalue\fR ...
        [\fB\-\-store\fR \fIfile\fR]
        [\fB\-\-loud\fR] ...
        \fIname\fR
        [\fIkind\fR]
        [\fIvalue\fR ...]
        .SH "DESCRIPTION"
        Get one thing, which is a long text that has to be wrapped into lines of the
        right width
        .PP
        \&.dots and \(aqquotes\(aq come first
        and \fBcode\fR with \- \(ha \(ti \e \[u00E9]
        .PP
        .RS 4
        .EX
        tool get a
        \&.tool get b
        .EE
        .RE
        .PP
        afterwards
        .PP
        .RS 4
        .EX
        deep
        .EE
        .RE
        .PP
        Another name: \fBg\fR, \fBfetch\fR.
        .SH "ARGUMENTS"
        .TP
        \fIname\fR
        The name.
        .TP
        \fIkind\fR
        The kind. One of \fBa\fR, \fBb\fR. (default: a)
        .TP
        \fIvalue\fR
        .SH "OPTIONS"
        .TP
        \fB\-\-store\fR \fIfile\fR
        The store. (default: here)
        .IP
        More of it.
        .TP
        \fB\-k\fR, \fB\-\-key\fR \fIvalue\fR
        A key.
        .TP
        \fB\-\-loud\fR
        Say more.
        .TP
        \fB\-\-version\fR
        Show the version.
        .SH "EXIT STATUS"
        .TP
        \fB0\fR
        Yes, or done.
        .TP
        \fB1\fR
        No: a wrong passcode, no such secret, no further time.
        .TP
        \fB2\fR
        Usage, or invalid input.
        .TP
        \fB3\fR
        A wrong key or passphrase.
        .TP
        \fB4\fR
        A damaged file.
        .TP
        \fB5\fR
        No passcode is taken now: during a delay, or at a limit of the TPM or of an
        app.
        .TP
        \fB6\fR
        Busy: another process wrote for too long.
        .TP
        \fB7\fR
        The system refused: permissions, a full disk, a closed output.
        .TP
        \fB8\fR
        A file of a newer format.
        .TP
        \fB9\fR
        A file that was rolled back to an older state.
        .TP
        \fB10\fR
        The item\(aqs class is locked: the store is sealed, and this is no unlocked
        session.
        .TP
        \fB130\fR
        Ctrl\-C at a prompt.
        .SH "FILES"
        .TP
        \fI\(ti/.local/share/portcullis/default.keystore\fR
        The store, unless \fB\-\-store\fR names another; below \fBXDG_DATA_HOME\fR
        where that is set.
        .TP
        \fI\(ti/.config/portcullis/default.key\fR
        The key file, unless \fB\-\-key\-file\fR names another; below
        \fBXDG_CONFIG_HOME\fR where that is set.
        .SH "ENVIRONMENT"
        .TP
        \fBHOME, XDG_DATA_HOME, XDG_CONFIG_HOME\fR
        Where the files lie.
        .TP
        \fBPORTCULLIS_AGENT\fR
        The socket of the session that the process runs in, set by \fBportcullis
        guard\fR of a sealed store.
        .SH "SEE ALSO"
        \fBtool\fR(1)

        """#

    static let guardPage = #"""
        .\" Made by ManPages of Portcullis.
        .TH "TOOL-GUARD" "1" "2026-01-31" "tool 1.2" "Portcullis"
        .SH "NAME"
        tool\-guard \- Guard it
        .SH "SYNOPSIS"
        \fBtool guard\fR
        .SH "DESCRIPTION"
        Guard it.
        .SH "EXIT STATUS"
        The program\(aqs own; 128 and the signal\(aqs number if a signal ended it; 125
        if guard itself failed, or did not start it; 2 for options that it does not
        understand.
        .SH "ENVIRONMENT"
        .TP
        \fBSHELL\fR
        What \fBportcullis guard\fR runs unless a program is named.
        .SH "SEE ALSO"
        \fBtool\fR(1)

        """#
}
