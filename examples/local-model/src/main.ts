/** An agent that plans with a model on this machine: what it planned, what it found out, and what that took. */
import { parseArgs } from 'node:util';
import { ambit } from 'ambit';
import { stockAgent, stockQuestion } from './agent.ts';

const HELP = `Asks an agent that plans with a model on this machine.

Usage: node examples/local-model/src/main.ts [options] [question]

  --url URL       the server's OpenAI-compatible address (http://127.0.0.1:11434/v1, which is Ollama)
  --model MODEL   one of its models (llama3.2)
  --help          this page`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      url: { type: 'string', default: 'http://127.0.0.1:11434/v1' },
      model: { type: 'string', default: 'llama3.2' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(HELP);
  const runtime = ambit({ agent: stockAgent(values) });
  const run = await runtime.invoke(stockQuestion(positionals[0] ?? 'How many blue mugs do we have?'));
  for (const { call, response } of await runtime.exchanges(run.runId)) {
    console.log(`${call.model} ${call.outcome}, ${call.spent.input_tokens} + ${call.spent.output_tokens} tokens`);
    if (response !== null) console.log(response);
  }
  for (const { call, result } of await runtime.transcripts(run.runId))
    console.log(call.tool, JSON.stringify(result.raw));
  console.log(run.terminalCode, run.reason ?? '');
  await runtime.close();
}

await main();
