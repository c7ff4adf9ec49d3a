/** An agent that plans and answers with a local model: prints its plan, its results, its cost and its answer. */
import { ambit } from 'ambit';
import { readLine } from '../../command-line.ts';
import { stockAgent, stockQuestion } from './agent.ts';
import { HELP } from './help.ts';

/** Why no server can be reached at this address; null if one answers, with any status. */
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
  const line = readLine('npm run example:local-model', HELP, ['url', 'model']);
  if (line === null) return;
  const { url = 'http://127.0.0.1:11434/v1', model = 'llama3.2' } = line.values;
  const why = await whyNoServer(url);
  if (why !== null) {
    console.error(`npm run example:local-model: no server answers at ${url} (${why}).`);
    console.error(`Start one: ollama serve, then ollama pull ${model}. Or choose another with --url.`);
    process.exitCode = 2;
    return;
  }
  const runtime = ambit({ agent: stockAgent({ url, model }) });
  const run = await runtime.invoke(stockQuestion(line.words[0] ?? 'How many blue mugs do we have?'));
  for (const { call, response } of await runtime.records.exchanges(run.runId)) {
    console.log(`${call.model} ${call.outcome}, ${call.spent.input_tokens} + ${call.spent.output_tokens} tokens`);
    if (response !== null) console.log(response);
  }
  for (const { call, result } of await runtime.records.transcripts(run.runId))
    console.log(call.tool, JSON.stringify(result.raw));
  console.log(run.terminalCode, run.reason ?? '', ...run.why);
  for (const { text, form } of run.sentences)
    console.log(text, form === 'composed' ? '(proven)' : '(stated without the model)');
  await runtime.close();
}

await main();
