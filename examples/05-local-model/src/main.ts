/** An agent that plans with a model on this machine: what it planned, what it found out, and what that took. */
import { parseArgs } from 'node:util';
import { ambit } from 'ambit';
import { stockAgent, stockQuestion } from './agent.ts';

const HELP = `Asks an agent that plans with a model on this machine.

Usage: npm run example:local-model -- [options] [question]

  --url URL       the server's OpenAI-compatible address (http://127.0.0.1:11434/v1, which is Ollama)
  --model MODEL   one of its models (llama3.2)
  --help          this page

Examples:
  npm run example:local-model
  npm run example:local-model -- --url http://127.0.0.1:8080/v1 --model qwen3 "How many red mugs do we have?"`;

/** Whether somebody listens there; else why not. Any answer is one: what a server says to this is its own affair. */
async function whyNoServer(url: string): Promise<string | null> {
  try {
    await fetch(`${url}/models`, { signal: AbortSignal.timeout(5_000) });
    return null;
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    return cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
  }
}

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
  const why = await whyNoServer(values.url);
  if (why !== null) {
    console.error(`npm run example:local-model: no server answers at ${values.url} (${why}).`);
    console.error(`Start one: ollama serve, then ollama pull ${values.model}. Or name another with --url.`);
    process.exitCode = 2;
    return;
  }
  const runtime = ambit({ agent: stockAgent(values) });
  const run = await runtime.invoke(stockQuestion(positionals[0] ?? 'How many blue mugs do we have?'));
  for (const { call, response } of await runtime.exchanges(run.runId)) {
    console.log(`${call.model} ${call.outcome}, ${call.spent.input_tokens} + ${call.spent.output_tokens} tokens`);
    if (response !== null) console.log(response);
  }
  for (const { call, result } of await runtime.transcripts(run.runId))
    console.log(call.tool, JSON.stringify(result.raw));
  console.log(run.terminalCode, run.reason ?? '', ...run.why);
  await runtime.close();
}

await main();
