/** A research agent that decides step by step, with any OpenAI-compatible model or with a script. */
import { styleText } from 'node:util';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ambit, type LanguageModel, type ModelProfile, modelProfile } from 'ambit';
import type { ForeignModel } from 'ambit/store';
import { type CommandLine, readLine } from '../../command-line.ts';
import { question, researchAgent } from './agent.ts';
import { QUESTION } from './answer.ts';
import { HELP } from './help.ts';
import { libraryTools } from './library.ts';
import { scriptedResearch } from './scripted.ts';

function modelOf(options: CommandLine['values']): ForeignModel | LanguageModel | ModelProfile {
  const { url, model = 'gpt-5-mini', 'key-env': keyEnv = 'OPENAI_API_KEY' } = options;
  if (url === undefined) {
    console.log(styleText('dim', 'No --url: a script plays the model. Its third decision follows an injection.\n'));
    return scriptedResearch();
  }
  const apiKey = process.env[keyEnv];
  const server = createOpenAICompatible({
    name: 'server',
    baseURL: url,
    supportsStructuredOutputs: true,
    ...(apiKey === undefined ? {} : { apiKey }),
  });
  return modelProfile(server(model), { name: 'researcher', price: 'free', requestTimeoutMs: 25_000 });
}

/** One decision in short. A decision with an unknown tool goes back to the model and calls nothing. */
function decided(response: string | null): string {
  const [step] =
    (JSON.parse(response ?? '{}') as { readonly steps?: readonly { readonly tool: string; readonly params: object }[] })
      .steps ?? [];
  if (step === undefined) return 'no step';
  const known = libraryTools.some(({ spec }) => spec.name === step.tool) || step.tool === 'respond';
  const shown = `${step.tool} ${JSON.stringify(step.params)}`;
  return known ? shown : styleText('red', `${shown}  returned to the model: no such tool`);
}

async function main(): Promise<void> {
  const line = readLine('npm run example:research', HELP, ['url', 'model', 'key-env']);
  if (line === null) return;
  const { values, words } = line;
  const runtime = ambit({ agent: researchAgent(modelOf(values)) });
  const run = await runtime.invoke('researcher', question(words[0] ?? QUESTION));
  console.log(styleText('bold', 'Decisions of the model:'));
  for (const { call, response } of await runtime.records.exchanges(run.runId))
    if (call.role === 'planner') console.log(` ${call.model}: ${decided(response)}`);
  console.log(styleText('bold', 'Tool calls and results:'));
  for (const { call, result } of await runtime.records.transcripts(run.runId)) {
    console.log(` ${call.tool} ${styleText('dim', JSON.stringify(result.raw))}`);
  }
  console.log(`\n${run.terminalCode}: ${run.text ?? run.why.join(' ')}`);
  for (const { form, fields } of run.sentences) {
    const places = fields.map(({ ref, pointer }) => `${ref}${pointer}`).join(', ');
    console.log(styleText('dim', `${form === 'composed' ? 'proven by' : 'stated without the model from'} ${places}`));
  }
  console.log(styleText('dim', await runtime.records.account(run.runId)));
  await runtime.close();
  process.exitCode = run.status === 'completed' ? 0 : 1;
}

await main();
