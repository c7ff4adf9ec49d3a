export const HELP = `Asks an agent that plans with a model on this machine.

Usage: npm run example:local-model -- [options] [question]

  --url URL       the server's OpenAI-compatible address (default http://127.0.0.1:11434/v1, Ollama)
  --model MODEL   one of its models (default llama3.2)
  --help          print this help

Examples:
  npm run example:local-model
  npm run example:local-model -- --url http://127.0.0.1:8080/v1 --model qwen3 "How many red mugs do we have?"`;
