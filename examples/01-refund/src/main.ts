/**
 * The demo in two acts. A customer asks a question and gets an answer whose sentences are checked one by one. Then the
 * customer asks for a refund: the payment waits for a person, its process is killed during the payment, another process
 * takes the run over, and there is one refund.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { styleText } from 'node:util';
import { Fault } from 'ambit';
import { faultRow } from 'ambit/model';
import { type ModelServer, modelServer, type ServedTurn } from 'ambit/testing';
import { draftsOf } from '../../scripted-answer.ts';
import { askQuestion } from './ask.ts';
import { HELP } from './help.ts';
import { ledgerAt } from './ledger-client.ts';
import { openRuntime } from './open-runtime.ts';
import { type Options, optionsOf } from './options.ts';
import { type LedgerProcess, startLedger } from './processes.ts';
import { refundOrder } from './refund.ts';
import { conclude } from './result.ts';
import { QUESTION_ANSWER, QUESTION_PLAN, REFUND_ANSWER } from './script.ts';
import { openStage } from './stage.ts';

async function main(): Promise<void> {
  const options = optionsOf(process.argv.slice(2));
  if (options.help) return console.log(HELP);
  const folder = folderFor(options);
  const store = join(folder, 'ambit.db');
  assertOneDemo(options, store);
  const ledger = await startLedger(join(folder, 'ledger.db'));
  const model = await modelServer(scriptFor(options));
  try {
    await play(options, store, ledger, model);
  } finally {
    await model.close();
    await ledger.stop();
    if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

async function play(options: Options, store: string, ledger: LedgerProcess, model: ModelServer): Promise<void> {
  const runtime = openRuntime(store, ledgerAt(ledger.url), model.url);
  const stage = openStage({ options, ledger, runtime, store, modelUrl: model.url });
  stage.say(
    `The model of this demo is a script, played by a server at ${model.url}. The AI SDK package`,
    '@ai-sdk/openai-compatible calls it like any model. Processes, ledger, journal and checks are real.',
  );
  try {
    const asked = options.resume ? null : await askQuestion(stage);
    await conclude(stage, asked, await refundOrder(stage));
  } finally {
    await runtime.close();
  }
}

/** The answers of the model, one per request. A resumed demo has only the refund left. */
function scriptFor({ resume }: Options): readonly ServedTurn[] {
  const question = [QUESTION_PLAN, ...draftsOf(QUESTION_ANSWER)];
  return [...(resume ? [] : question), ...draftsOf(REFUND_ANSWER)].map((json) => ({ json: json as never }));
}

function folderFor({ folder }: Options): string {
  if (folder === undefined) return mkdtempSync(join(tmpdir(), 'ambit-demo-'));
  if (statSync(folder, { throwIfNoEntry: false })?.isFile() === true) {
    throw new Fault('input_invalid', `--folder needs a folder: ${folder} is a file`);
  }
  mkdirSync(folder, { recursive: true });
  return resolve(folder);
}

/** A folder holds one refund, because a second one for the same order would be paid too. */
function assertOneDemo({ folder, resume }: Options, store: string): void {
  if (resume && folder === undefined) throw new Fault('input_invalid', '--resume needs --folder');
  if (resume === existsSync(store)) return;
  const message = resume
    ? `there is no refund in ${folder} to continue: omit --resume`
    : `there is already a refund in ${folder}: choose another folder, or continue it with --resume`;
  throw new Fault('input_invalid', message);
}

main().catch((error: unknown) => {
  const fault = Fault.is(error) ? error : new Fault('internal', String(error), { cause: error });
  console.error(styleText('red', `npm run demo: ${fault.code}: ${fault.message}`, { stream: process.stderr }));
  process.exitCode = faultRow(fault.code).exit;
});
