export const HELP = `A support agent refunds an order on a real local ledger. Needs no model, key or server.

Usage: npm run demo [-- options]

  --reject        reject the payment at the gate
  --yes           approve without asking
  --folder DIR    keep the journal and the ledger in DIR (default: a temporary folder, removed at the end)
  --resume        continue the refund in --folder
  --json          print only the outcome, as one line of JSON
  --help          print this help

Examples:
  npm run demo
  npm run demo -- --reject
  npm run demo -- --folder ./demo --json
  npm run demo -- --folder ./demo --resume`;
