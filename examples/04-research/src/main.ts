/** A research agent that decides step by step, on any model that speaks like OpenAI, or on a script where there is none. */
import { parseArgs, styleText } from 'node:util';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ambit, type ForeignModel, type LanguageModel, type ModelProfile, modelProfile } from 'ambit';
import { question, researchAgent } from './agent.ts';
import { libraryTools } from './library.ts';
import { scriptedDecisions } from './scripted.ts';

const HELP = `Asks a research agent that decides one step at a time.

Usage: npm run example:research -- [options] [question]

  --url URL       an OpenAI-compatible server: https://api.openai.com/v1, http://127.0.0.1:11434/v1 …
  --model MODEL   one of its models
  --key-env NAME  the environment variable that holds its key (OPENAI_API_KEY)
  --help          this page

Without --url a script decides, so that it can be looked at without a model or a key.

Examples:
  npm run example:research
  npm run example:research -- --url http://127.0.0.1:11434/v1 --model qwen3 "When are tides highest?"`;

interface Options {
  readonly url?: string | undefined;
  readonly model?: string | undefined;
  readonly 'key-env': string;
}

function modelOf(options: Options): ForeignModel | LanguageModel | ModelProfile {
  const { url, model = 'gpt-5-mini', 'key-env': keyEnv } = options;
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
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      url: { type: 'string' },
      model: { type: 'string' },
      'key-env': { type: 'string', default: 'OPENAI_API_KEY' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(HELP);
  const runtime = ambit({ agent: researchAgent(modelOf(values)) });
  const run = await runtime.invoke(
    'researcher',
    question(positionals[0] ?? 'When is the range of the tides greatest?'),
  );
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
