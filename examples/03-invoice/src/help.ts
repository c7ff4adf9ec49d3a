export const HELP = `A session of hours: it waits at its gate while its process is gone, and another process finishes it.

Usage: npm run example:invoice [-- options]

  --help          this page

No model, no key: the journal is in a temporary folder, which is removed at the end.

Examples:
  npm run example:invoice`;
