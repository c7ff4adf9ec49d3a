import { type Ambit, type AmbitConfig, Fault, type Json, type SessionQuery, type SessionSummary } from '../../index.ts';
import { asTyped } from '../as-typed.ts';
import { type Action, type Call, isOn, listOf, numberOf, textOf, valuesOf } from '../command.ts';
import { neededDecider } from '../decider.ts';
import { exitOf } from '../exit-codes.ts';
import { printed } from '../terminal/printed.ts';
import { table } from '../terminal/table.ts';
import { ago } from '../views/instants.ts';
import { nextSteps } from '../views/next-step.ts';
import { type Origin, originCell } from '../views/origin-view.ts';
import { outcomeView, toneOf } from '../views/outcome-view.ts';
import { packetView } from '../views/packet-view.ts';
import { runLines } from '../views/run-lines.ts';
import { NOTHING_YET, watched } from '../views/run-view.ts';
import { aboutRun } from './about-run.ts';
import { eventsOf } from './events-of.ts';
import { packetNamed } from './open-gate.ts';
import { listedOrigin } from './origin-of.ts';
import { sayWait, sayWaitHere } from './say-wait.ts';
import { showOutcome } from './show-outcome.ts';
import { showStateAt } from './state-at.ts';
import { withRuntime, word } from './with-runtime.ts';

export const listSessions: Action = (call) =>
  withRuntime(call, async ({ runtime }) => {
    const { terminal } = call;
    const listed: Listed[] = [];
    for (const run of await runtime.sessions(queryOf(call)))
      listed.push({ ...run, origin: await listedOrigin(runtime, run.runId) });
    const rows = listed.map((run) => sessionRow(run, call));
    terminal.show(listed, () =>
      rows.length === 0
        ? 'No session.'
        : table(['SESSION', 'AGENT', 'STATUS', 'CODE', 'INTENT', 'CHANGED', 'ORIGIN'], rows, terminal.columns()),
    );
    return exitOf('done');
  });

/** A run as a list shows it, with where it comes from. */
interface Listed extends SessionSummary {
  readonly origin: Origin;
}

function queryOf({ flags }: Call): SessionQuery {
  const tenant = textOf(flags, 'tenant');
  const agent = textOf(flags, 'agent');
  const statuses = listOf(flags, 'status');
  const mode = textOf(flags, 'mode');
  return {
    ...(tenant === null ? {} : { tenant }),
    ...(agent === null ? {} : { agent }),
    ...(statuses.length === 0 ? {} : { statuses: statuses as NonNullable<SessionQuery['statuses']> }),
    ...(mode === null ? {} : { mode: mode as NonNullable<SessionQuery['mode']> }),
    limit: numberOf(flags, 'limit') ?? 50,
  };
}

function sessionRow(run: Listed, { terminal: { paint } }: Call): readonly string[] {
  const { runId, agent, status, terminalCode, intent, updatedAt, origin } = run;
  return [
    runId,
    printed(agent),
    paint(toneOf(status), status),
    terminalCode ?? '',
    printed(intent),
    ago(updatedAt, Date.now()),
    ...originCell(origin, paint),
  ];
}

export const showSession: Action = (call) =>
  withRuntime(call, async ({ runtime }) => {
    const { terminal } = call;
    const runId = word(call, 'session');
    const at = numberOf(call.flags, 'at');
    if (at !== null) return await showStateAt(call, runtime, runId, at);
    const outcome = await runtime.outcome(runId);
    const session = await contractOf(runtime, runId);
    const view = (await eventsOf(runtime, runId)).reduce(watched, NOTHING_YET);
    const about = await aboutRun(runtime, outcome);
    const next = nextSteps(outcome, about).map(asTyped);
    const { handoverHash } = outcome;
    const handover = handoverHash === null ? null : await runtime.packet(handoverHash);
    terminal.show({ ...outcome, ...about, next, session, handover }, () =>
      [
        ...runLines(view, terminal.paint),
        '',
        outcomeView(outcome, about, Date.now(), terminal.paint),
        // Whoever decides what becomes of it is shown what they decide about.
        ...(handoverHash === null || handover === null
          ? []
          : ['', packetView(handover, handoverHash, Date.now(), terminal.paint)]),
      ].join('\n'),
    );
    for (const line of next) terminal.note((paint) => `${paint('quiet', 'next:')} ${line}`);
    return exitOf('done');
  });

/** Only what was asked for as long-running has a session contract. */
async function contractOf(runtime: Ambit, runId: string): Promise<Awaited<ReturnType<Ambit['session']>> | null> {
  try {
    return await runtime.session(runId);
  } catch (error) {
    if (Fault.is(error) && error.code === 'session_not_found') return null;
    throw error;
  }
}

/** A session that was paused goes on by somebody's word; one that no process drives any more is taken over. */
export const resumeSession: Action = (call) =>
  withRuntime(call, async ({ runtime, config }) => {
    const run_id = word(call, 'session');
    if (isOn(call.flags, 'takeOver')) return await takeOver(call, runtime, config);
    const { status } = await runtime.outcome(run_id);
    if (status !== 'paused') {
      await sayWaitHere(call, runtime);
      return await showOutcome(call.terminal, runtime, await runtime.resume(run_id));
    }
    const decider = neededDecider(call.flags, config);
    const credential = decider.run({ run_id, decision: 'run_resumed', said: { operator: true } });
    await sayWaitHere(call, runtime);
    return await showOutcome(call.terminal, runtime, await runtime.resumeSession(run_id, credential));
  });

/** Which process it is taken from is part of what is decided. */
async function takeOver(call: Call, runtime: Ambit, config: AmbitConfig): Promise<number> {
  const run_id = word(call, 'session');
  const reason = neededReason(call);
  const driver = await runtime.driver(run_id);
  const from = driver === null || driver.here ? '' : driver.writer;
  const credential = neededDecider(call.flags, config).run({
    run_id,
    decision: 'run_taken_over',
    said: { from, reason },
  });
  await sayWait(call, runtime);
  return await showOutcome(call.terminal, runtime, await runtime.resume(run_id, { takeOver: { credential, reason } }));
}

export const answerSession: Action = (call) =>
  withRuntime(call, async ({ runtime, config }) => {
    const runId = word(call, 'session');
    const { question } = await runtime.outcome(runId);
    if (question === null) throw new Fault('event_illegal', `session ${runId} asks nothing`);
    const answers = valuesOf(call.flags, 'answer');
    const { name } = neededDecider(call.flags, config);
    return await showOutcome(call.terminal, runtime, await runtime.answer(runId, question, answers, name));
  });

const HANDOVERS = ['continue', 'finalize', 'terminate'] as const;

export const decideSession: Action = (call) =>
  withRuntime(call, async ({ runtime, config }) => {
    const run_id = word(call, 'session');
    const decision = HANDOVERS.find((known) => known === word(call, 'decision'));
    if (decision === undefined) throw new Fault('input_invalid', `decide one of ${HANDOVERS.join(', ')}`);
    const reason = neededReason(call);
    const { handoverHash } = await runtime.outcome(run_id);
    if (handoverHash === null) throw new Fault('event_illegal', `session ${run_id} was not handed over to anybody`);
    const packetHash = seen(call, handoverHash);
    const found = call.flags['happened'];
    const happened = found === undefined ? {} : { happened: { result: found as Json } };
    const said = { decision, reason, packet_hash: packetHash, ...happened };
    const credential = neededDecider(call.flags, config).run({ run_id, decision: 'escalation_decided', said });
    return await showOutcome(
      call.terminal,
      runtime,
      await runtime.decideEscalation(run_id, { decision, packetHash, credential, reason, ...happened }),
    );
  });

export const extendSession: Action = (call) =>
  withRuntime(call, async ({ runtime, config }) => {
    const run_id = word(call, 'session');
    const reason = neededReason(call);
    const delta = valuesOf(call.flags, 'add') as Readonly<Record<string, number>>;
    if (Object.keys(delta).length === 0) throw new Fault('input_invalid', 'say what it gets: --add tool_calls=5');
    const { handoverHash } = await runtime.outcome(run_id);
    const packetHash = handoverHash === null ? null : seen(call, handoverHash);
    const about = packetHash === null ? {} : { packet_hash: packetHash };
    const said = { delta, reason, ...about };
    const credential = neededDecider(call.flags, config).run({ run_id, decision: 'budget_extended', said });
    const packet = packetHash === null ? {} : { packetHash };
    return await showOutcome(
      call.terminal,
      runtime,
      await runtime.extendBudget(run_id, { delta, credential, reason, ...packet }),
    );
  });

/** Whoever decides about a handover has read what was handed over. */
function seen(call: Call, handoverHash: string): string {
  const named = textOf(call.flags, 'packet');
  if (named !== null) return packetNamed({ packet_hash: handoverHash }, named);
  const show = asTyped(`ambit sessions show ${word(call, 'session')}`);
  throw new Fault('input_invalid', `say what you have seen: read it with ${show}, then add --packet ${handoverHash}`);
}

/** Every decision is on record with why it was taken. */
export function neededReason({ flags }: Call): string {
  const reason = textOf(flags, 'reason');
  if (reason === null) throw new Fault('input_invalid', 'say why, for the record: --reason "…"');
  return reason;
}

/** What happened so far, one line each, by the number that `sessions show --at` takes. */
export const listEvents: Action = (call) =>
  withRuntime(call, async ({ runtime }) => {
    for (const [place, event] of (await eventsOf(runtime, word(call, 'session'))).entries()) {
      const number = String(place + 1).padStart(4);
      call.terminal.stream(event, () => `${number}  ${ago(event.at, Date.now()).padStart(16)}  ${event.type}`);
    }
    return exitOf('done');
  });
