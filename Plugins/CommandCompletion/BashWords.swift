/// Corrects the argument parser's script for bash.
enum BashWords {
    /// Returns the part of a tool's script that corrects the words into which bash splits a command line. The
    /// names that a person completes may contain `@`, `:` and `=`. Without the correction, bash ends words at
    /// these characters, and completes only the text after them.
    static func script(for tool: String) -> String { script.replacing("TOOL", with: tool) }

    private static let script = #"""

        # Words that bash has ended at @, : and = are put together again.
        _TOOL_joined() {
            if [[ "${COMP_LINE:${COMP_POINT}:1}" = [![:space:]] ]]; then
                _TOOL "${@}"
                return
            fi
            local rest="${COMP_LINE}" before='' blank word
            local -i last=-1 place=0 index
            local -a joined=()
            for ((index = 0; index < ${#COMP_WORDS[@]}; index++)); do
                word="${COMP_WORDS[index]}"
                blank="${rest%%[![:space:]]*}"
                rest="${rest#"${blank}"}"
                rest="${rest#"${word}"}"
                if [[ -z "${blank}" && -n "${before}" && ("${word}" = [@:=]* || "${before}" = *[@:=]) ]]; then
                    joined[last]+="${word}"
                else
                    last+=1
                    joined[last]="${word}"
                fi
                before="${word}"
                ((index == COMP_CWORD)) && place=last
            done
            local -r typed="${joined[place]}"
            local -r kept="${typed%"${2}"}"
            local -a COMP_WORDS=("${joined[@]}")
            local -i COMP_CWORD=place
            _TOOL "${1}" "${typed}" "${joined[place - 1]}"
            COMPREPLY=("${COMPREPLY[@]#"${kept}"}")
        }
        complete -o filenames -F _TOOL_joined TOOL
        """#
}
