/**
 * The refund, step by step: a plan is proposed and verified, two lookups run, the payment waits for a person, its
 * process is killed during the payment, another process takes the run over, and there is one refund.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { styleText } from 'node:util';
import { type Ambit, ambit, Fault, type RunOutcome } from 'ambit';
import { faultRow } from 'ambit/model';
import type { RunEvent } from 'ambit/records';
import { supportAgent } from './agent.ts';
import { HELP } from './help.ts';
import { type Options, optionsOf } from './options.ts';
import { type LedgerProcess, startLedger, startWorker } from './processes.ts';
import { refundRequest } from './request.ts';
import { LIMITS, POLICY } from './settings.ts';
import { openShop } from './shop.ts';
import { booked, describeEvents, ending, indented, shownPacket, titles } from './story.ts';

interface Stage {
  readonly options: Options;
  readonly ledger: LedgerProcess;
  readonly store: string;
  /** Reads the run from the journal and never drives it. */
  readonly runtime: Ambit;
  readonly say: (...lines: readonly string[]) => void;
  readonly title: (text: string) => string;
  /** Events of the run since the last call. */
  readonly news: (runId: string) => Promise<readonly RunEvent[]>;
}

async function main(): Promise<void> {
  const options = optionsOf(process.argv.slice(2));
  if (options.help) return console.log(HELP);
  const folder = folderFor(options);
  const store = join(folder, 'ambit.db');
  assertOneDemo(options, store);
  const ledger = await startLedger(join(folder, 'ledger.db'));
  const runtime = ambit({
    agent: supportAgent(openShop().tools),
    store: `sqlite:${store}`,
    limits: LIMITS,
    world: { policy: POLICY },
  });
  const say = (...lines: readonly string[]): void => {
    if (!options.json) console.log(lines.join('\n'));
  };
  try {
    await play({ options, ledger, store, runtime, say, title: titles(), news: reader(runtime) });
  } finally {
    await runtime.close();
    await ledger.stop();
    if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
  }
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

async function play(stage: Stage): Promise<void> {
  const { options, ledger, store, runtime, say, title, news } = stage;
  say(title(`"${refundRequest.goal.statement}"`));
  say(
    indented(
      `requested for ${refundRequest.identity.actor} of ${refundRequest.tenant_id}; the ledger is process ${ledger.pid} at ${ledger.url}`,
    ),
  );
  const waiting = await begun(stage);
  say(...describeEvents(await news(waiting.runId)));
  if (waiting.terminalCode !== null) return await conclude(stage, waiting);

  const [gate] = waiting.pending;
  if (gate === undefined) throw new Fault('internal', `the refund did not reach its gate: ${waiting.reason}`);
  say(title(`The run waits at ${gate.name}, and its process has ended. The gate shows:`));
  say(...shownPacket(await runtime.gates.packet(gate.packetHash), gate.packetHash));
  const approved = await decision(options, say);

  const done = approved
    ? await approvedAndKilled(stage, waiting.runId, gate)
    : await finished(startWorker('reject', store, ledger.url, gate.gateId, gate.packetHash).outcome, 'the answer');
  say(...describeEvents(await news(waiting.runId)));
  await conclude(stage, done);
}

/** Starts a new refund, or continues the one in the folder. */
async function begun({ options, ledger, store, runtime }: Stage): Promise<RunOutcome> {
  if (!options.resume) return await finished(startWorker('invoke', store, ledger.url).outcome, 'the refund');
  const [left] = await runtime.sessions.list({ limit: 1 });
  if (left === undefined) return await finished(startWorker('invoke', store, ledger.url).outcome, 'the refund');
  const outcome = await runtime.sessions.get(left.runId);
  if (outcome.status !== 'in_progress') return outcome;
  return await finished(startWorker('resume', store, ledger.url, left.runId).outcome, 'the resumed run');
}

/** The approval is stored and the payment is booked, and the process dies before it gets the answer. */
async function approvedAndKilled(
  stage: Stage,
  runId: string,
  gate: RunOutcome['pending'][number],
): Promise<RunOutcome> {
  const { ledger, store, say, title, news } = stage;
  say(title('The payment is sent, and the process is killed before it gets the answer'));
  ledger.withholdNextAnswer();
  const booking = ledger.nextBooking();
  const killed = startWorker('approve', store, ledger.url, gate.gateId, gate.packetHash);
  const refund = await Promise.race([booking, killed.outcome]);
  if (refund === null || !('refund_id' in refund)) throw new Fault('internal', 'the payment was never sent');
  await killed.kill();
  say(...describeEvents(await news(runId)));
  say(`ledger     has booked ${refund.refund_id}; the answer is withheld, the only staged part of this demo`);
  say(styleText('red', `kill -9    process ${killed.pid} is gone; the journal does not know whether the money moved`));

  const successor = startWorker('resume', store, ledger.url, runId);
  say(title(`Process ${successor.pid} takes the run over from the journal`));
  say(indented('a call that may have happened is not repeated: after its deadline, the ledger is queried'));
  return await finished(successor.outcome, 'the resumed run');
}

async function conclude({ options, ledger, runtime, say, title }: Stage, done: RunOutcome): Promise<void> {
  const refunds = await ledger.refunds();
  const { turns } = await runtime.records.replay(done.runId);
  const account = await runtime.records.account(done.runId);
  if (options.json) return console.log(JSON.stringify({ ...done, refunds, account, replayed: turns.length }));
  say(title('Result'), ...ending(done), booked(refunds), `summary    ${account}`);
  say(indented(`Replayed from the journal, ${turns.length} frames: every verdict and the record have the same bytes.`));
  say(indented('The replay called no tool, no model and no person.'));
  if (options.folder !== undefined) say(indented(`The journal is kept in ${options.folder}.`));
}

/** Asks the person at the terminal. Without a terminal, prints that it approves by itself. */
async function decision(options: Options, say: Stage['say']): Promise<boolean> {
  if (options.reject) return false;
  if (options.yes || options.json || !process.stdin.isTTY || !process.stdout.isTTY) {
    say(indented('approved automatically, without a terminal: user_finance_lead, "within policy"'));
    return true;
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question('           Approve this as user_finance_lead? [y/N] ');
  terminal.close();
  return /^\s*y/i.test(answer);
}

/** Returns the events of a run since the last call. */
function reader(runtime: Ambit): (runId: string) => Promise<readonly RunEvent[]> {
  let seen = 0;
  return async (runId) => {
    const events = (await runtime.records.frames(runId)).flatMap((frame) => JSON.parse(frame.events) as RunEvent[]);
    const fresh = events.slice(seen);
    seen = events.length;
    return fresh;
  };
}

async function finished(outcome: Promise<RunOutcome | null>, what: string): Promise<RunOutcome> {
  const result = await outcome;
  if (result === null) throw new Fault('internal', `the process for ${what} exited without an outcome`);
  return result;
}

main().catch((error: unknown) => {
  const fault = Fault.is(error) ? error : new Fault('internal', String(error), { cause: error });
  console.error(styleText('red', `npm run demo: ${fault.code}: ${fault.message}`, { stream: process.stderr }));
  process.exitCode = faultRow(fault.code).exit;
});
