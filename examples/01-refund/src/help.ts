export const HELP = `A support agent refunds an order over a real local ledger. No model, no key, no server of yours.

Usage: npm run demo [-- options]

  --reject        the finance lead says no
  --yes           do not ask in the terminal, approve
  --folder DIR    keep the journal and the ledger there (default: a temporary folder, removed at the end)
  --resume        go on with the refund that is in --folder, however its last demo ended
  --json          the end of it as one line of JSON, and nothing else
  --help          this page

Examples:
  npm run demo
  npm run demo -- --reject
  npm run demo -- --folder ./demo --json
  npm run demo -- --folder ./demo --resume`;
