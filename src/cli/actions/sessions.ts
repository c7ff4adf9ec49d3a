import { type Ambit, type AmbitConfig, Fault, type Json } from '../../index.ts';
import type { SessionQuery, SessionSummary, StateView } from '../../records.ts';
import { formatHint } from '../cli-fault.ts';
import {
  type Action,
  argument,
  type Call,
  getExitCode,
  getRunExitCode,
  isFlagSet,
  readAssignmentFlags,
  readListFlag,
  readNumberFlag,
  readTextFlag,
} from '../command.ts';
import { requireDecider, requireReason } from '../decider.ts';
import { matchPacketHash } from '../shared/find-gate.ts';
import { drawRun } from '../shared/follow-run.ts';
import { notePendingCall, notePendingCallUnlessDriven } from '../shared/pending-call.ts';
import { readEvents, readListedOrigin, readRunDetails } from '../shared/read-run.ts';
import { noteNextCommands, showOutcome } from '../shared/show-outcome.ts';
import { withRuntime } from '../shared/with-runtime.ts';
import { escapeText } from '../terminal/escape.ts';
import { openLiveLines } from '../terminal/live-lines.ts';
import { showTable } from '../terminal/render-table.ts';
import type { Paint } from '../terminal/terminal.ts';
import { formatInstant, formatRelative } from '../views/format.ts';
import { listNextCommands } from '../views/next-commands.ts';
import { getStatusTone, renderOutcome } from '../views/render-outcome.ts';
import { renderPacket } from '../views/render-packet.ts';
import { applyEvent, EMPTY_RUN_VIEW, type RunView, renderRun } from '../views/render-run.ts';
import { type RunOrigin, renderOriginCell } from '../views/run-details.ts';

export const listSessionsAction: Action = (call) =>
  withRuntime(call, async ({ runtime, terminal }) => {
    const listed: ListedSession[] = [];
    for (const run of await runtime.sessions.list(readQuery(call)))
      listed.push({ ...run, origin: await readListedOrigin(runtime, run.runId) });
    const rows = listed.map((run) => renderSessionRow(run, call));
    showTable(terminal, listed, {
      headings: ['SESSION', 'AGENT', 'STATUS', 'CODE', 'INTENT', 'CHANGED', 'ORIGIN'],
      rows,
      empty: 'No sessions.',
    });
  });

/** Lists the sessions that `serve` quarantines, because they cannot be read. */
export const listDamagedAction: Action = (call) =>
  withRuntime(call, async ({ runtime, terminal, flags }) => {
    const tenant = readTextFlag(flags, 'tenant');
    const damaged = await runtime.sessions.damaged(tenant === null ? {} : { tenant });
    const rows = damaged.map(({ runId, agent, status, code, message }) => [
      runId,
      escapeText(agent),
      status,
      terminal.paint('bad', code),
      escapeText(message),
    ]);
    const headings = ['SESSION', 'AGENT', 'STATUS', 'CODE', 'REASON'];
    showTable(terminal, damaged, { headings, rows, empty: 'No damaged sessions.' });
    return getExitCode(damaged.length === 0 ? 'done' : 'found');
  });

interface ListedSession extends SessionSummary {
  readonly origin: RunOrigin;
}

function readQuery({ flags }: Call): SessionQuery {
  const tenant = readTextFlag(flags, 'tenant');
  const agent = readTextFlag(flags, 'agent');
  const statuses = readListFlag(flags, 'status');
  const mode = readTextFlag(flags, 'mode');
  return {
    ...(tenant === null ? {} : { tenant }),
    ...(agent === null ? {} : { agent }),
    ...(statuses.length === 0 ? {} : { statuses: statuses as NonNullable<SessionQuery['statuses']> }),
    ...(mode === null ? {} : { mode: mode as NonNullable<SessionQuery['mode']> }),
    limit: readNumberFlag(flags, 'limit') ?? 50,
  };
}

function renderSessionRow(run: ListedSession, { terminal: { paint } }: Call): readonly string[] {
  const { runId, agent, status, terminalCode, intent, updatedAt, origin } = run;
  return [
    runId,
    escapeText(agent),
    paint(getStatusTone(status), status),
    terminalCode ?? '',
    escapeText(intent),
    formatRelative(updatedAt, Date.now()),
    ...renderOriginCell(origin, paint),
  ];
}

export const showSessionAction: Action = (call) =>
  withRuntime(call, async ({ runtime, terminal, flags }) => {
    const runId = argument(call, 'session');
    const at = readNumberFlag(flags, 'at');
    if (at !== null) return await showStateAt(call, runtime, runId, at);
    const outcome = await runtime.sessions.get(runId);
    const session = await readContract(runtime, runId);
    const view = (await readEvents(runtime, runId)).reduce(applyEvent, EMPTY_RUN_VIEW);
    const context = await readRunDetails(runtime, outcome);
    const next = listNextCommands(outcome, context).map(formatHint);
    const { handoverHash } = outcome;
    const handover = handoverHash === null ? null : await runtime.gates.packet(handoverHash);
    terminal.show({ ...outcome, ...context, next, session, handover }, () =>
      [
        ...renderRun(view, terminal.paint),
        '',
        renderOutcome(outcome, context, Date.now(), terminal.paint),
        // An escalation is decided on this packet.
        ...(handoverHash === null || handover === null
          ? []
          : ['', renderPacket(handover, handoverHash, Date.now(), terminal.paint)]),
      ].join('\n'),
    );
    noteNextCommands(terminal, next);
    return getExitCode('done');
  });

/** Reads the session contract, which only a long-running session has. */
async function readContract(
  runtime: Ambit,
  runId: string,
): Promise<Awaited<ReturnType<Ambit['sessions']['contract']>> | null> {
  try {
    return await runtime.sessions.contract(runId);
  } catch (error) {
    if (Fault.is(error) && error.code === 'session_not_found') return null;
    throw error;
  }
}

/** Resumes a session. A paused session needs a decider; an abandoned one does not. */
export const resumeSessionAction: Action = (call) =>
  withRuntime(call, async ({ runtime, config, terminal, flags }) => {
    const run_id = argument(call, 'session');
    if (isFlagSet(flags, 'takeOver')) return await takeOver(call, runtime, config);
    const { status, terminalCode } = await runtime.sessions.get(run_id);
    if (status !== 'paused') {
      await notePendingCallUnlessDriven(call, runtime);
      const resumed = await runtime.resume(run_id);
      return await showOutcome(terminal, runtime, resumed, () =>
        terminalCode === null ? null : `nothing was resumed: the session had already ended with ${terminalCode}`,
      );
    }
    const decider = requireDecider(flags, config);
    const credential = decider.signRun({ run_id, decision: 'run_resumed', content: { operator: true } });
    await notePendingCallUnlessDriven(call, runtime);
    return await showOutcome(terminal, runtime, await runtime.sessions.resume(run_id, credential));
  });

/** Takes a session over. The signed statement names the process that loses it. */
async function takeOver(call: Call, runtime: Ambit, config: AmbitConfig): Promise<number> {
  const run_id = argument(call, 'session');
  const reason = requireReason(call);
  const driver = await runtime.sessions.driver(run_id);
  const from = driver === null || driver.here ? '' : driver.writer;
  const credential = requireDecider(call.flags, config).signRun({
    run_id,
    decision: 'run_taken_over',
    content: { from, reason },
  });
  await notePendingCall(call, runtime);
  return await showOutcome(call.terminal, runtime, await runtime.resume(run_id, { takeOver: { credential, reason } }));
}

export const answerSessionAction: Action = (call) =>
  withRuntime(call, async ({ runtime, config, terminal, flags }) => {
    const runId = argument(call, 'session');
    const { question } = await runtime.sessions.get(runId);
    if (question === null) throw new Fault('event_illegal', `session ${runId} has no open question`);
    const answers = readAssignmentFlags(flags, 'answer');
    const { name } = requireDecider(flags, config);
    return await showOutcome(terminal, runtime, await runtime.sessions.answer(runId, question, answers, name));
  });

const ESCALATION_DECISIONS = ['continue', 'finalize', 'terminate'] as const;

export const decideSessionAction: Action = (call) =>
  withRuntime(call, async ({ runtime, config, terminal, flags }) => {
    const run_id = argument(call, 'session');
    const decision = ESCALATION_DECISIONS.find((known) => known === argument(call, 'decision'));
    if (decision === undefined)
      throw new Fault('input_invalid', `the decision must be one of ${ESCALATION_DECISIONS.join(', ')}`);
    const reason = requireReason(call);
    const { handoverHash } = await runtime.sessions.get(run_id);
    if (handoverHash === null) throw new Fault('event_illegal', `session ${run_id} was not escalated`);
    const packetHash = requirePacketHash(call, handoverHash);
    const result = flags['happened'];
    const happened = result === undefined ? {} : { happened: { result: result as Json } };
    const content = { decision, reason, packet_hash: packetHash, ...happened };
    const credential = requireDecider(flags, config).signRun({
      run_id,
      decision: 'escalation_decided',
      content,
    });
    return await showOutcome(
      terminal,
      runtime,
      await runtime.sessions.decideEscalation(run_id, { decision, packetHash, credential, reason, ...happened }),
    );
  });

export const extendSessionAction: Action = (call) =>
  withRuntime(call, async ({ runtime, config, terminal, flags }) => {
    const run_id = argument(call, 'session');
    const reason = requireReason(call);
    const delta = readAssignmentFlags(flags, 'add') as Readonly<Record<string, number>>;
    if (Object.keys(delta).length === 0)
      throw new Fault('input_invalid', 'an increment is required, such as --add tool_calls=5');
    const { handoverHash } = await runtime.sessions.get(run_id);
    const packetHash = handoverHash === null ? null : requirePacketHash(call, handoverHash);
    const content = { delta, reason, ...(packetHash === null ? {} : { packet_hash: packetHash }) };
    const credential = requireDecider(flags, config).signRun({
      run_id,
      decision: 'budget_extended',
      content,
    });
    const packet = packetHash === null ? {} : { packetHash };
    return await showOutcome(
      terminal,
      runtime,
      await runtime.sessions.extendBudget(run_id, { delta, credential, reason, ...packet }),
    );
  });

/** Requires the hash of the escalation packet, so that the decider has read it. */
function requirePacketHash(call: Call, handoverHash: string): string {
  const packet = readTextFlag(call.flags, 'packet');
  if (packet !== null) return matchPacketHash({ packet_hash: handoverHash }, packet);
  const show = formatHint(`ambit sessions show ${argument(call, 'session')}`);
  throw new Fault(
    'input_invalid',
    `a packet hash is required: read the packet with ${show}, then add --packet ${handoverHash}`,
  );
}

/** Prints the events with their numbers, which `sessions show --at` accepts. */
export const listEventsAction: Action = (call) =>
  withRuntime(call, async ({ runtime, terminal }) => {
    for (const [index, event] of (await readEvents(runtime, argument(call, 'session'))).entries()) {
      const number = String(index + 1).padStart(4);
      terminal.stream(event, () => `${number}  ${formatRelative(event.at, Date.now()).padStart(16)}  ${event.type}`);
    }
  });

async function showStateAt({ terminal }: Call, runtime: Ambit, runId: string, event: number): Promise<number> {
  const state = await runtime.records.stateAt(runId, event);
  const view = (await readEvents(runtime, runId)).slice(0, event).reduce(applyEvent, EMPTY_RUN_VIEW);
  terminal.show(state, () => renderState(state, view, terminal.paint));
  return getExitCode('done');
}

function renderState(
  { run_id, event, frame, happened, at, node, session }: StateView,
  view: RunView,
  paint: Paint,
): string {
  return [
    `${paint('strong', run_id)} after event ${event}, ${happened}, frame ${frame}`,
    `  ${paint('quiet', formatInstant(at))}  ${String(session['status'])}, on ${node}`,
    ...renderRun(view, paint),
  ].join('\n');
}

/** Resumes abandoned sessions and sessions that the watchdog paused. */
export const resumeAllSessionsAction: Action = (call) =>
  withRuntime(call, async ({ runtime, config, terminal, flags }) => {
    const tenant = readTextFlag(flags, 'tenant');
    const decider = requireDecider(flags, config);
    const filter: SessionQuery = tenant === null ? {} : { tenant };
    const results = await runtime.sessions.resumeAll(filter, ({ runId: run_id }) =>
      decider.signRun({ run_id, decision: 'run_resumed', content: { operator: true } }),
    );
    const rows = results.map((result) =>
      result.ok
        ? [
            result.runId,
            terminal.paint(getStatusTone(result.outcome.status), result.outcome.status),
            result.outcome.reason ?? '',
          ]
        : [result.runId, terminal.paint('bad', result.code), result.message],
    );
    showTable(terminal, results, { headings: ['SESSION', 'RESULT', 'REASON'], rows, empty: 'No sessions to resume.' });
    return getExitCode(results.every(({ ok }) => ok) ? 'done' : 'found');
  });

/** Follows a session: draws the run at a terminal, otherwise prints one event per line. */
export const watchSessionAction: Action = (call) =>
  withRuntime(call, async ({ runtime, terminal, flags }) => {
    const runId = argument(call, 'session');
    const after = readTextFlag(flags, 'after');
    if (terminal.isLive && after === null) {
      await drawRun(runtime, runId, openLiveLines(process.stderr), new AbortController().signal);
    } else {
      for await (const { cursor, event, notice } of runtime.sessions.watch(runId, after === null ? {} : { after })) {
        terminal.stream(
          { cursor, event, notice },
          () => `${cursor.padEnd(6)} ${formatInstant(event.at)}  ${event.type}`,
        );
      }
    }
    const outcome = await runtime.sessions.get(runId);
    // With --json every line is an event, so no outcome follows.
    return terminal.isJson ? getRunExitCode(outcome) : await showOutcome(terminal, runtime, outcome);
  });
