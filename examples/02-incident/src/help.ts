export const HELP = `An incident: two workers look at once, each in a lane of its own, and the way back waits for whoever is on call.

Usage: npm run example:incident [-- options]

  --help          this page

No model, no key: the MCP server whose tools they use is started beside it.

Examples:
  npm run example:incident`;
