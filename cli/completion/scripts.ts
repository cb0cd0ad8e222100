// Node's completion libraries evaluate typed text, and lose names with a colon in bash.

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/**
 * The first argument of a request for candidates; the typed words up to the cursor follow. Each
 * line of the answer: whole word, tab, description. `:files` alone requests file names.
 */
export const CANDIDATES = '__complete';
export const FILES = ':files';

const bash = `# bash completion for bench: source <(bench completion bash)
_bench() {
  # COMP_WORDS is cut at each ':' and '=': join what has no space between.
  local line=\${COMP_LINE:0:COMP_POINT} words=() word n=0
  for word in "\${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
    if [[ $n -eq 0 || $line == [[:space:]]* ]]; then
      line=\${line#"\${line%%[![:space:]]*}"}
      words[n++]=
    fi
    [[ $line == "$word"* ]] || word=$line
    words[n-1]+=$word
    line=\${line#"$word"}
  done
  local current=\${words[n-1]} cut= value
  # readline replaces what follows the last of these characters alone.
  [[ $COMP_WORDBREAKS == *:* && $current == *:* ]] && cut=\${current%"\${current##*:}"}
  [[ $COMP_WORDBREAKS == *=* && \${current#"$cut"} == *=* ]] && cut=\${current%"\${current##*=}"}
  COMPREPLY=()
  while IFS=$'\\t' read -r value _; do
    if [[ $value == ${FILES} ]]; then
      compopt -o default 2>/dev/null
      return
    fi
    [[ $value == "$current"* ]] && COMPREPLY+=("\${value#"$cut"}")
  done < <("$1" ${CANDIDATES} "\${words[@]:1}" 2>/dev/null </dev/null)
}
complete -F _bench bench
`;

const zsh = `#compdef bench
# zsh completion for bench: source <(bench completion zsh), after compinit; or this file as _bench in a folder of $fpath
_bench() {
  local program=\${~words[1]} line value about
  local -a candidates
  for line in "\${(@f)$("$program" ${CANDIDATES} "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null </dev/null)}"; do
    if [[ $line == ${FILES} ]]; then
      _files
      return
    fi
    [[ -n $line ]] || continue
    value=\${line%%$'\\t'*}
    about=\${line#*$'\\t'}
    candidates+=("\${value//:/\\\\:}\${about:+:$about}")
  done
  _describe -V bench candidates
}
if [[ \${funcstack[1]} == _bench ]]; then
  _bench "$@"
else
  compdef _bench bench
fi
`;

const fish = `# fish completion for bench: bench completion fish | source
function __bench_candidates
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    for line in ($program ${CANDIDATES} $words "$current" 2>/dev/null </dev/null)
        if test "$line" = ${FILES}
            __fish_complete_path "$current"
            return
        end
        printf '%s\\n' "$line"
    end
end
complete -c bench -f -k -a '(__bench_candidates)'
`;

export const completionScript: Record<Shell, string> = { bash, zsh, fish };
