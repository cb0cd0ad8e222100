#!/usr/bin/env bash
# Plays both sides and compares them; action.yml describes the variables. Options are separated by
# spaces. Exit code 3: B is worse; 4: undecided, where that fails.
set -euo pipefail

bench=${BENCH:-$(cd "$(dirname "$0")/../../.." && pwd)/bench}
out=$(mktemp -d "${RUNNER_TEMP:-/tmp}/bench-compare-XXXXXX")
batch=ci-${GITHUB_RUN_ID:-$$}-${GITHUB_RUN_ATTEMPT:-1}
case ${UNDECIDED:=pass} in
  pass | fail) ;;
  *) echo "undecided is \"$UNDECIDED\": it is pass or fail" >&2; exit 2 ;;
esac
trap '"$bench" down --force >/dev/null 2>&1 || true' EXIT

play() { # <side> <configs> <options …>
  local side=$1 configs=$2 code=0
  shift 2
  if [ -n "$configs" ]; then export BENCH_CONFIGS=$configs; else unset BENCH_CONFIGS; fi
  "$bench" submit "$@" --name "$batch-$side" --wait || code=$?
  # 1: some runs ended by a fault of the infrastructure, which the comparison shows.
  [ "$code" -le 1 ] || exit "$code"
}

read -ra submit <<<"${SUBMIT:?names the options of bench submit}"
read -ra a <<<"${A:-}"
read -ra b <<<"${B:-}"
read -ra compare <<<"${COMPARE:-}"
play a "${A_CONFIGS:-}" "${submit[@]}" ${a[@]+"${a[@]}"}
play b "${B_CONFIGS:-}" "${submit[@]}" ${b[@]+"${b[@]}"}

code=0
"$bench" compare "$batch-a" "$batch-b" ${compare[@]+"${compare[@]}"} \
  --fail-if-worse --markdown "$out/compare.md" --junit "$out/compare.xml" || code=$?
case $code in
  0) worse=no ;;
  3) worse=yes ;;
  4) worse=undecided ;;
  *) exit "$code" ;;
esac
printf '%s\n' "worse=$worse" "markdown=$out/compare.md" "junit=$out/compare.xml" >>"${GITHUB_OUTPUT:-/dev/null}"
cat "$out/compare.md" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
if [ -n "${PULL_REQUEST:-}" ]; then
  gh pr comment "$PULL_REQUEST" --repo "$GITHUB_REPOSITORY" --body-file "$out/compare.md" --edit-last --create-if-none
fi
if [ "$worse" = yes ]; then exit 3; fi
if [ "$worse" = undecided ] && [ "$UNDECIDED" = fail ]; then exit 4; fi
