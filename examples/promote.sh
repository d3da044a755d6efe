#!/bin/sh
# The whole demo on its way from dev to staging to prod, with the command line alone.
#
#   npm start                         in one terminal
#   sh examples/promote.sh            in another one; for a second time with a higher version: sh examples/promote.sh 1.1.0
#
# The definitions say `database: {ref: pg/shop}`. In dev and staging that is the database shop, in prod it is shop_prod: the project has an entry for
# each, with the same alias and other spaces (millrace database add URL --alias shop --spaces prod). So nothing in a definition changes on the way.
set -eu

version=${1:-1.0.0}
millrace=${MILLRACE:-npx millrace}
# Where the commands below keep which space they are in; what you have kept yourself stays as it is.
MILLRACE_CONTEXT_FILE=$(mktemp)
export MILLRACE_CONTEXT_FILE
trap 'rm -f "$MILLRACE_CONTEXT_FILE"' EXIT

# Keeps the space for the commands that follow, and what was kept for the calls.
enter() { context=$($millrace context use --space-id "$1"); }
kept() { echo "$context" | sed -n "s/^$1: //p"; }
call() {
  curl -fsS -H "X-Org-Id: $(kept org_id)" -H "X-Project-Id: $(kept project_id)" -H "X-Space-Id: $(kept space_id)" \
    -H "X-User-Id: $(kept user_id)" -H 'X-User-Roles: admin' "$(kept url)/demo/shop/$1"
  echo
}

$millrace login >/dev/null

for step in 'dev staging' 'staging prod'; do
  from=${step% *}
  to=${step#* }
  enter "$from"

  echo "## What would change in $to: every definition of $from and the Lark modules that they load"
  $millrace definition diff --all --to "$to" --version "$version" --modules --text

  # All or nothing. It is refused when $to lacks a database or a module, or when its database would not take the SQL.
  # A module that differs in $to stays as it is without --overwrite, and then nothing is copied either.
  echo "## Copying $from to $to"
  $millrace definition copy --all --to "$to" --version "$version" --modules --overwrite

  enter "$to"
  echo "## The same report, now from $to"
  call 'reports/sales?from=2024-01-01&to=2024-01-31'
done

echo '## What was deployed when, and by whom, is in the history of the space'
$millrace definition history reports/sales --method get
