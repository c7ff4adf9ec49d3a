import type { PlannedMigration } from '../../approvals.ts';
import { type Ambit, Fault, type JsonObject } from '../../index.ts';
import { CliFault } from '../cli-fault.ts';
import { type Action, argument, type Call, readTextFlag } from '../command.ts';
import { requireDecider, requireReason } from '../decider.ts';
import { notePendingCallUnlessDriven } from '../shared/pending-call.ts';
import { showOutcome } from '../shared/show-outcome.ts';
import { withRuntime } from '../shared/with-runtime.ts';
import { describeDriver } from '../views/run-details.ts';

export const pauseSessionAction: Action = (call) => suspendSession(call, 'pause');

/** Pauses a session and queues its resume, which the next `ambit serve` executes. */
export const interruptSessionAction: Action = (call) => suspendSession(call, 'interrupt');

const suspendSession = (call: Call, verb: 'pause' | 'interrupt'): Promise<number> =>
  withRuntime(call, async ({ runtime, config, terminal, flags }) => {
    const run_id = argument(call, 'session');
    const reason = requireReason(call);
    const content = { cause: 'operator', reason, ...(verb === 'interrupt' ? { resumes: true } : {}) };
    const credential = requireDecider(flags, config).signRun({ run_id, decision: 'run_paused', content });
    await notePendingCallUnlessDriven(call, runtime);
    const paused = runtime.sessions[verb](run_id, { credential, reason }).catch(async (error: unknown) => {
      throw await explainGateWait(error, runtime, run_id);
    });
    await showOutcome(terminal, runtime, await paused);
  });

/** Adds a fix to the fault of a pause at a gate, where the session already waits. */
async function explainGateWait(cause: unknown, runtime: Ambit, runId: string): Promise<unknown> {
  if (!Fault.is(cause) || cause.code !== 'event_illegal') return cause;
  if ((await runtime.sessions.get(runId)).status !== 'awaiting_gate') return cause;
  const fix = `the session already waits at a gate. Decide the gate: ambit gates list, or cancel the session: ambit sessions cancel ${runId} --reason "…" --as <name>`;
  return new CliFault(cause.code, cause.message, { fix, cause });
}

export const steerSessionAction: Action = (call) =>
  withRuntime(call, async ({ runtime, config, terminal, flags }) => {
    const run_id = argument(call, 'session');
    const note = readTextFlag(flags, 'note');
    if (note === null) throw new Fault('input_invalid', 'a note for the planner is required: --note "…"');
    const credential = requireDecider(flags, config).signRun({
      run_id,
      decision: 'run_steered',
      content: { note },
    });
    await showOutcome(terminal, runtime, await runtime.sessions.steer(run_id, { credential, note }));
  });

/** Cancels a session through its driver. */
export const cancelSessionAction: Action = (call) => endSession(call, 'cancel');

/** Cancels a session in this process. */
export const terminateSessionAction: Action = (call) => endSession(call, 'terminate');

const endSession = (call: Parameters<Action>[0], how: 'cancel' | 'terminate'): ReturnType<Action> =>
  withRuntime(call, async ({ runtime, config, terminal, flags }) => {
    const run_id = argument(call, 'session');
    const reason = requireReason(call);
    const credential = requireDecider(flags, config).signRun({
      run_id,
      decision: 'run_cancelled',
      content: { reason },
    });
    const outcome = await runtime.sessions[how](run_id, { credential, reason });
    await showOutcome(terminal, runtime, outcome, ({ driver }) =>
      driver === null
        ? null
        : `the cancellation is recorded; ${describeDriver(driver)} aborts the calls in flight and ends the session`,
    );
  });

/** Moves a session to the versions of this process. Pins that the operator names are checked against them. */
export const migrateSessionAction: Action = (call) =>
  withRuntime(call, async ({ runtime, config, terminal, flags }) => {
    const run_id = argument(call, 'session');
    const reason = requireReason(call);
    const decider = requireDecider(flags, config);
    const { to: here, ...planned } = await runtime.sessions.previewMigration(run_id);
    const { pack_pin, snapshot_pin } = here;
    const to = {
      pack_pin: readTextFlag(flags, 'pack') ?? pack_pin,
      snapshot_pin: readTextFlag(flags, 'snapshot') ?? snapshot_pin,
    };
    const content = { ...planned, to, reason } as unknown as JsonObject;
    const credential = decider.signRun({ run_id, decision: 'run_migrated', content });
    const outcome = await runtime.sessions.migrate(run_id, { credential, reason, to });
    return await showOutcome(terminal, runtime, outcome, () => describeTools(planned));
  });

/** The tools that a migration accepted, with the fields that changed; null if it accepted none. */
function describeTools({ tools }: Pick<PlannedMigration, 'tools'>): string | null {
  if (tools === undefined) return null;
  const accepted = tools.changed.map(({ tool, fields }) => `${tool} (${fields.join(', ')})`);
  return `accepted the new version of ${accepted.join(', ')}`;
}
