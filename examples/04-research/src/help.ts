export const HELP = `Asks a research agent that decides one step at a time.

Usage: npm run example:research -- [options] [question]

  --url URL       an OpenAI-compatible server, such as https://api.openai.com/v1, http://127.0.0.1:11434/v1
  --model MODEL   one of its models
  --key-env NAME  the environment variable with its key (default OPENAI_API_KEY)
  --help          print this help

Without --url a script decides, so that no model or key is needed.

Examples:
  npm run example:research
  npm run example:research -- --url http://127.0.0.1:11434/v1 --model qwen3 "When are tides highest?"`;
