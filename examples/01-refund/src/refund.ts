import { createInterface } from 'node:readline/promises';
import { Fault, type RunOutcome } from 'ambit';
import { bad, indented } from './layout.ts';
import type { Options } from './options.ts';
import { shownPacket } from './packet.ts';
import { refundRequest } from './request.ts';
import type { Stage } from './stage.ts';

/** The second act: the refund waits at its gate, its process is killed during the payment, and another one ends it. */
export async function refundOrder(stage: Stage): Promise<RunOutcome> {
  const { options, ledger, runtime, say, title, sayNews, startWorker } = stage;
  title(`The customer asks: "${refundRequest.goal.statement}"`);
  say(indented(`the ledger that pays is process ${ledger.pid} at ${ledger.url}`));
  const waiting = await begun(stage);
  await sayNews(waiting.runId);
  if (waiting.terminalCode !== null) return waiting;

  const [gate] = waiting.pending;
  if (gate === undefined) throw new Fault('internal', `the refund did not reach its gate: ${waiting.reason}`);
  title(`The run waits at ${gate.name}, and its process has ended. The gate shows:`);
  say(...shownPacket(await runtime.gates.packet(gate.packetHash), gate.packetHash));
  const done = (await decision(options, say))
    ? await approvedAndKilled(stage, waiting.runId, gate)
    : await finished(startWorker('reject', gate.gateId, gate.packetHash).outcome, 'the rejection');
  await sayNews(waiting.runId);
  return done;
}

/** Starts a new refund, or continues the one in the folder. */
async function begun({ options, runtime, startWorker }: Stage): Promise<RunOutcome> {
  const [left] = options.resume ? await runtime.sessions.list({ agent: 'support', limit: 1 }) : [];
  if (left === undefined) return await finished(startWorker('invoke').outcome, 'the refund');
  const outcome = await runtime.sessions.get(left.runId);
  if (outcome.status !== 'in_progress') return outcome;
  return await finished(startWorker('resume', left.runId).outcome, 'the resumed run');
}

/** The approval is stored and the payment is booked, and the process dies before it gets the answer. */
async function approvedAndKilled(
  { ledger, say, title, sayNews, startWorker }: Stage,
  runId: string,
  gate: RunOutcome['pending'][number],
): Promise<RunOutcome> {
  title('The payment is sent, and the process is killed before it gets the answer');
  ledger.withholdNextAnswer();
  const booking = ledger.nextBooking();
  const killed = startWorker('approve', gate.gateId, gate.packetHash);
  const refund = await Promise.race([booking, killed.outcome]);
  if (refund === null || !('refund_id' in refund)) throw new Fault('internal', 'the payment was never sent');
  await killed.kill();
  await sayNews(runId);
  say(`ledger     has booked ${refund.refund_id}; the demo makes it withhold its answer`);
  say(bad(`kill -9    process ${killed.pid} is gone; the journal does not know whether the money moved`));

  const successor = startWorker('resume', runId);
  title(`Process ${successor.pid} takes the run over from the journal`);
  say(indented('a call that may have happened is not repeated: after its deadline, the ledger is queried'));
  return await finished(successor.outcome, 'the resumed run');
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

async function finished(outcome: Promise<RunOutcome | null>, what: string): Promise<RunOutcome> {
  const result = await outcome;
  if (result === null) throw new Fault('internal', `the process for ${what} exited without an outcome`);
  return result;
}
