export const HELP = `A customer asks a question and gets a checked answer. Then a support agent refunds an order on a real local ledger.
The model is a script behind a local HTTP server, so you need no key.

Usage: npm run demo [-- options]

  --reject        reject the payment at the gate
  --yes           approve without asking
  --folder DIR    keep the journal and the ledger in DIR (default: a temporary folder, removed at the end)
  --resume        continue the refund in --folder
  --json          print only the outcome of the refund, with that of the question, as one line of JSON
  --help          print this help

Examples:
  npm run demo
  npm run demo -- --reject
  npm run demo -- --folder ./demo --json
  npm run demo -- --folder ./demo --resume`;
