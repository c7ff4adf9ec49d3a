export const HELP = `Asks a research agent that decides one step at a time.

Usage: npm run example:research -- [options] [question]

  --url URL       an OpenAI-compatible server: https://api.openai.com/v1, http://127.0.0.1:11434/v1 …
  --model MODEL   one of its models
  --key-env NAME  the environment variable that holds its key (OPENAI_API_KEY)
  --help          this page

Without --url a script decides, so that it can be looked at without a model or a key.

Examples:
  npm run example:research
  npm run example:research -- --url http://127.0.0.1:11434/v1 --model qwen3 "When are tides highest?"`;
