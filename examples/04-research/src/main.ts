/** A research agent that decides step by step, on any model that speaks like OpenAI, or on a script where there is none. */
import { styleText } from 'node:util';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ambit, type ForeignModel, type LanguageModel, type ModelProfile, modelProfile } from 'ambit';
import { type Line, readLine } from '../../command-line.ts';
import { question, researchAgent } from './agent.ts';
import { HELP } from './help.ts';
import { libraryTools } from './library.ts';
import { scriptedDecisions } from './scripted.ts';

function modelOf(options: Line['values']): ForeignModel | LanguageModel | ModelProfile {
  const { url, model = 'gpt-5-mini', 'key-env': keyEnv = 'OPENAI_API_KEY' } = options;
  if (url === undefined) {
    console.log(
      styleText('dim', 'No --url: a script decides, and its third decision is that of a model that was misled.\n'),
    );
    return scriptedDecisions();
  }
  const apiKey = process.env[keyEnv];
  const server = createOpenAICompatible({
    name: 'server',
    baseURL: url,
    supportsStructuredOutputs: true,
    ...(apiKey === undefined ? {} : { apiKey }),
  });
  return modelProfile(server(model), { name: 'researcher', price: 'free', timeoutMs: 25_000 });
}

/** A decision in short; one that names what is none of its capabilities goes back to the model, and calls nothing. */
function decided(response: string | null): string {
  const [step] =
    (JSON.parse(response ?? '{}') as { readonly steps?: readonly { readonly tool: string; readonly params: object }[] })
      .steps ?? [];
  if (step === undefined) return 'no step';
  const known = libraryTools.some(({ spec }) => spec.name === step.tool) || step.tool === 'respond';
  const said = `${step.tool} ${JSON.stringify(step.params)}`;
  return known ? said : styleText('red', `${said}  sent back: there is no such capability here`);
}

async function main(): Promise<void> {
  const line = readLine('npm run example:research', HELP, ['url', 'model', 'key-env']);
  if (line === null) return;
  const { values, words } = line;
  const runtime = ambit({ agent: researchAgent(modelOf(values)) });
  const run = await runtime.invoke('researcher', question(words[0] ?? 'When is the range of the tides greatest?'));
  console.log(styleText('bold', 'What the model said, decision by decision:'));
  for (const { call, response } of await runtime.exchanges(run.runId))
    console.log(` ${call.model}: ${decided(response)}`);
  console.log(styleText('bold', 'What was called, and what came back:'));
  for (const { call, result } of await runtime.transcripts(run.runId)) {
    console.log(` ${call.tool} ${styleText('dim', JSON.stringify(result.raw))}`);
  }
  console.log(`\n${run.terminalCode}: ${run.answer ?? run.why.join(' ')}`);
  console.log(styleText('dim', await runtime.account(run.runId)));
  await runtime.close();
  process.exitCode = run.status === 'completed' ? 0 : 1;
}

await main();
