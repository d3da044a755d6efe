#!/bin/sh
# Promotes the whole demo from dev to staging to prod with the command line.
#
#   npm start                         in one terminal
#   sh examples/promote.sh            in another one
#   sh examples/promote.sh 1.1.0      to repeat it, with a higher version
#
# The definitions have `database: {ref: pg/shop}`. In dev and staging this is the database shop, in
# prod it is shop_prod. The project has an entry for each, with the same alias and different spaces
# (millrace database add URL --alias shop --spaces prod). The definitions need no change.
set -eu

version=${1:-1.0.0}
millrace=${MILLRACE:-npx millrace}
# A temporary context file for the commands below. Your own context is not changed.
MILLRACE_CONTEXT_FILE=$(mktemp)
export MILLRACE_CONTEXT_FILE
trap 'rm -f "$MILLRACE_CONTEXT_FILE"' EXIT

# Selects the space for the following commands and reads the context for the calls.
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

  echo "## Changes in $to: every definition of $from and the Lark modules that they load"
  $millrace definition diff --all --to "$to" --version "$version" --modules --text

  # All or nothing. Rejected if $to lacks a database or a module, or its database rejects the SQL.
  # Also rejected without --overwrite if a module differs in $to.
  echo "## Copying $from to $to"
  $millrace definition copy --all --to "$to" --version "$version" --modules --overwrite

  enter "$to"
  echo "## The same report, now from $to"
  call 'reports/sales?from=2024-01-01&to=2024-01-31'
done

echo '## The history of the space: deployments with time and user'
$millrace definition history reports/sales --method get
