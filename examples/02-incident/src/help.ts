export const HELP = `An incident: two workers run in parallel lanes, and the rollback waits for the person on call.

Usage: npm run example:incident [-- options]

  --help          print this help

Needs no model and no key. It starts the MCP server with the tools.

Examples:
  npm run example:incident`;
