/// Corrects the argument parser's script for bash.
enum BashWords {
    /// Returns the part of a tool's script that corrects how bash treats the words of a command line.
    ///
    /// - The names that a person completes may contain `@`, `:` and `=`. Without the correction, bash ends
    ///   words at these characters, and completes only the text after them.
    /// - The argument parser's script presents all words as file names. Bash then shows only the part of a
    ///   name after its last slash, appends a slash if a folder has this name, and leaves some characters
    ///   unquoted that it expands. Here only file names are presented as file names. All other words are
    ///   quoted by the script itself. Bash before version 4 cannot present some words only, so there all words
    ///   stay file names.
    static func script(for tool: String) -> String { script.replacing("TOOL", with: tool) }

    private static let script = #"""

        # Sets `plain` to a text without its quotes, and `open` to the quote that has no end in the text.
        __TOOL_unquote() {
            local character
            local -i index
            plain='' open=''
            for ((index = 0; index < ${#1}; index++)); do
                character="${1:index:1}"
                if [[ "${character}" = \\ && (-z "${open}" ||
                    "${open}" = \" && "${1:index + 1:1}" = [\$\`\"\\]) ]]; then
                    index+=1
                    plain+="${1:index:1}"
                elif [[ -z "${open}" && "${character}" = [\'\"] ]]; then
                    open="${character}"
                elif [[ "${character}" = "${open}" ]]; then
                    open=''
                else
                    plain+="${character}"
                fi
            done
        }

        # Sets `quoted` to a word that is quoted for a place at which the quote `open` has no end yet.
        __TOOL_quote() {
            local character
            local -i index
            quoted=''
            if [[ -z "${open}" ]]; then
                [[ -n "${1}" ]] && printf -v quoted %q "${1}"
                return
            fi
            for ((index = 0; index < ${#1}; index++)); do
                character="${1:index:1}"
                case "${open}${character}" in
                \'\') quoted+=\'\\\'\' ;;
                \"!) quoted+=\"\\!\" ;;
                \"[\$\`\"\\]) quoted+="\\${character}" ;;
                *) quoted+="${character}" ;;
                esac
            done
        }

        # As the parser's function of this name; also notes whether the words are file names.
        __TOOL_add_completions() {
            local completion
            [[ "${1}" = -[df] ]] && are_files=true
            while IFS='' read -r completion; do
                COMPREPLY+=("${completion}")
            done < <(IFS=$'\n' compgen "${@}" -- "${cur}")
        }

        # Words that bash has ended at @, : and = are put together again. A reply holds only what bash replaces.
        _TOOL_joined() {
            local plain open quoted are_files=false
            ((BASH_VERSINFO[0] < 4)) && are_files=true
            local -i index
            if [[ "${COMP_LINE:${COMP_POINT}:1}" = [![:space:]] ]]; then
                _TOOL "${@}"
                local -r line="${COMP_LINE::${COMP_POINT}}"
                __TOOL_unquote "${line%"${2}"}"
                plain=''
            else
                local rest="${COMP_LINE}" before='' blank word
                local -i last=-1 place=0
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
                local -a COMP_WORDS=("${joined[@]}")
                local -i COMP_CWORD=place
                _TOOL "${1}" "${typed}" "${joined[place - 1]}"
                __TOOL_unquote "${typed%"${2}"}"
            fi
            if "${are_files}"; then
                COMPREPLY=("${COMPREPLY[@]#"${plain}"}")
                ((BASH_VERSINFO[0] < 4)) || compopt -o filenames
            else
                for index in "${!COMPREPLY[@]}"; do
                    __TOOL_quote "${COMPREPLY[index]#"${plain}"}"
                    COMPREPLY[index]="${quoted}"
                done
                if ((${#COMPREPLY[@]} == 1)); then
                    # Bash ends no quote behind a character that is this quote, so it is ended here.
                    [[ "${quoted}" = *"${open}" ]] && COMPREPLY[0]+="${open}"
                elif [[ "${open}" != \' ]]; then
                    # Half of a quoted character must not get into the line. An empty reply keeps the line.
                    local common="${COMPREPLY[0]}"
                    for quoted in "${COMPREPLY[@]}"; do
                        while [[ "${quoted}" != "${common}"* ]]; do common="${common%?}"; done
                    done
                    quoted="${common##*[!\\]}"
                    ((${#quoted} % 2)) && COMPREPLY+=('')
                fi
            fi
        }
        if ((BASH_VERSINFO[0] < 4)); then
            complete -o filenames -F _TOOL_joined TOOL
        else
            complete -F _TOOL_joined TOOL
        fi
        """#
}
