export const HELP = `Asks an agent that plans with a model on this machine.

Usage: npm run example:local-model -- [options] [question]

  --url URL       the server's OpenAI-compatible address (http://127.0.0.1:11434/v1, which is Ollama)
  --model MODEL   one of its models (llama3.2)
  --help          this page

Examples:
  npm run example:local-model
  npm run example:local-model -- --url http://127.0.0.1:8080/v1 --model qwen3 "How many red mugs do we have?"`;
