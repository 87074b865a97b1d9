/**
 * What shells need to complete commands: they ask `media-search complete -- WORDS…`, with the words up to the cursor as they were typed, quotes and
 * all. It answers a value a line, a tab and what it means, and as the last line `:files` where a path may stand, otherwise `:done`.
 *
 * Values are names that other people chose. None is ever expanded by the shell: `compgen -W` of bash would run `$(…)` in them.
 */

/**
 * Bash takes words apart at `:`, `=`, `@` and others (`COMP_WORDBREAKS`) and replaces what stands behind the last of them. So words are put together
 * for the question, and values are shortened by what is kept. Behind an open quote it inserts a value as it is, and adds the other quote.
 */
const bash = `_media_search() {
  local line="\${COMP_LINE:0:COMP_POINT}" last="\${COMP_WORDS[COMP_CWORD]}" current= kept= words=() word value i
  line="\${line#*"\${COMP_WORDS[0]}"}"
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    (( i == COMP_CWORD )) && word="\${line#"\${line%%[![:space:]]*}"}"
    [[ $line == [[:space:]]* ]] && { (( i > 1 )) && words+=("$current"); current=; }
    current+="$word"
    line="\${line#*"$word"}"
  done
  [[ $last == *[!:=@]* ]] || last=
  while [[ $current != *"$last" ]]; do last="\${last%?}"; done
  kept="\${current%"$last"}"
  kept="\${kept//\\\\/}"
  COMPREPLY=()
  while IFS= read -r line; do
    case "$line" in
      :files) ;;
      :done) compopt +o default +o bashdefault 2>/dev/null ;;
      *)
        value="\${line%%$'\\t'*}"
        [[ $current == --*=* ]] && value="\${current%%=*}=$value"
        value="\${value:\${#kept}}"
        case "$last" in
          \\"*\\"*|\\'*\\'*) continue ;;
          \\"*) value="$(sed "s/[\\\\\\\\\\"\\$\\\`]/\\\\\\\\&/g; s/!/\\"'!'\\"/g" <<< "$value")" ;;
          \\'*) value="$(sed "s/'/'\\\\\\\\''/g" <<< "$value")" ;;
          *) printf -v value %q "$value" ;;
        esac
        COMPREPLY+=("$value")
        ;;
    esac
  done < <(media-search complete -- "\${words[@]}" "$current" 2>/dev/null)
}
complete -o bashdefault -o default -F _media_search media-search
`;

/** Zsh quotes values itself. A file in a folder of `fpath` is run as the function at its first use, so it completes at once there. */
const zsh = `#compdef media-search
_media_search() {
  local -a values meanings shown
  local line i width=0 files=0
  while IFS= read -r line; do
    case $line in
      :files) files=1 ;;
      :done) ;;
      *)
        values+=("\${line%%$'\\t'*}")
        meanings+=("\${line#*$'\\t'}")
        (( \${#values[-1]} > width )) && width=\${#values[-1]}
        ;;
    esac
  done < <(media-search complete -- "\${(@)words[2,CURRENT-1]}" "$QIPREFIX$PREFIX" 2>/dev/null)
  for (( i = 1; i <= \${#values}; i++ )); do
    shown+=("\${values[i]}\${meanings[i]:+\${(l:$((width - \${#values[i]} + 2)):)}\${meanings[i]}}")
  done
  [[ $PREFIX == --*=* ]] && compset -P 1 '*='
  (( \${#values} )) && compadd -M 'm:{[:lower:][:upper:]}={[:upper:][:lower:]}' -l -d shown -a values
  (( files )) && _files
}
if [[ \${funcstack[1]} == _media[-_]search ]]; then _media_search "$@"; else compdef _media_search media-search; fi
`;

/** Fish quotes values itself, and completes paths itself where the condition (`-n`) fails. */
const fish = `function __media_search_asks
    set -l current (commandline -ct)
    set -l option (string match -r -- '^--[^=]+=' "$current")
    set -l words (commandline -opc)
    set -g __media_search_values
    for line in (media-search complete -- $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case ':files'
                return 1
            case ':done'
            case '*'
                set -a __media_search_values "$option$line"
        end
    end
end
complete -c media-search -n __media_search_asks -f -a '$__media_search_values'
`;

export const scripts = { bash, zsh, fish };
