export const HELP = `A long session: it waits at its gate while its process is gone, and another process completes it.

Usage: npm run example:invoice [-- options]

  --help          print this help

Needs no model and no key. The journal is in a temporary folder, which is removed at the end.

Examples:
  npm run example:invoice`;
