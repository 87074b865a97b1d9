/**
 * What shells need to complete commands: they ask `media-search complete -- WORDS…`, whose last word is the one at the cursor. It answers a value a
 * line, a tab and what it means, and `:files` as the last line where a path may stand, otherwise `:done`.
 *
 * Values are names that other people chose. None is ever expanded by the shell: `compgen -W` of bash would run `$(…)` in them.
 */
const bash = `_media_search() {
  local line current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  while IFS= read -r line; do
    case "$line" in
      :files) ;;
      :done) compopt +o default 2>/dev/null ;;
      *) COMPREPLY+=("$(printf %q "\${line%%$'\\t'*}")") ;;
    esac
  done < <(media-search complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o bashdefault -o default -F _media_search media-search
`;

const zsh = `#compdef media-search
_media_search() {
  local -a values shown
  local line files=0
  while IFS= read -r line; do
    case $line in
      :files) files=1 ;;
      :done) ;;
      *) values+=("\${line%%$'\\t'*}"); shown+=("\${line//$'\\t'/  }") ;;
    esac
  done < <(media-search complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)
  (( \${#values} )) && compadd -l -d shown -a values
  (( files )) && _files
}
compdef _media_search media-search
`;

const fish = `function __media_search
    set -l words (commandline -opc) (commandline -ct)
    for line in (media-search complete -- $words[2..-1] 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path (commandline -ct)
            case ':done'
            case '*'
                printf '%s\\n' $line
        end
    end
end
complete -c media-search -f -a '(__media_search)'
`;

export const scripts = { bash, zsh, fish };
