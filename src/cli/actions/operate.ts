import { type Ambit, Fault, type JsonObject } from '../../index.ts';
import { AdvisedFault } from '../advised-fault.ts';
import { type Action, isOn, textOf } from '../command.ts';
import { neededDecider } from '../decider.ts';
import { exitOf } from '../exit-codes.ts';
import { driverWords } from '../views/about-run.ts';
import { eventsOf } from './events-of.ts';
import { sayWaitHere } from './say-wait.ts';
import { neededReason } from './sessions.ts';
import { showOutcome } from './show-outcome.ts';
import { withRuntime, word } from './with-runtime.ts';

export const pauseSession: Action = (call) =>
  withRuntime(call, async ({ runtime, config }) => {
    const run_id = word(call, 'session');
    const reason = neededReason(call);
    const said = { cause: 'operator', reason };
    const credential = neededDecider(call.flags, config).run({ run_id, decision: 'run_paused', said });
    await sayWaitHere(call, runtime);
    const held = runtime.pause(run_id, { credential, reason }).catch(async (error: unknown) => {
      throw await atGate(error, runtime, run_id);
    });
    await showOutcome(call.terminal, runtime, await held);
    return exitOf('done');
  });

/** A pause with a resume in the queue: whoever drives sessions next lets it go on. */
export const interruptSession: Action = (call) =>
  withRuntime(call, async ({ runtime, config }) => {
    const run_id = word(call, 'session');
    const reason = neededReason(call);
    const said = { cause: 'operator', reason, resumes: true };
    const credential = neededDecider(call.flags, config).run({ run_id, decision: 'run_paused', said });
    await sayWaitHere(call, runtime);
    const held = runtime.interrupt(run_id, { credential, reason }).catch(async (error: unknown) => {
      throw await atGate(error, runtime, run_id);
    });
    await showOutcome(call.terminal, runtime, await held);
    return exitOf('done');
  });

/** At a gate nothing runs that could be held: whoever wants it to stop there has that already. */
async function atGate(cause: unknown, runtime: Ambit, runId: string): Promise<unknown> {
  if (!Fault.is(cause) || cause.code !== 'event_illegal') return cause;
  if ((await runtime.outcome(runId)).status !== 'awaiting_gate') return cause;
  const fix = `it waits at a gate already, and nothing runs until somebody decides: ambit gates list, or end it: ambit sessions cancel ${runId} --reason "…" --as <name>`;
  return new AdvisedFault(cause.code, cause.message, { fix, cause });
}

export const steerSession: Action = (call) =>
  withRuntime(call, async ({ runtime, config }) => {
    const run_id = word(call, 'session');
    const note = textOf(call.flags, 'note');
    if (note === null) throw new Fault('input_invalid', 'say what whoever plans is to know: --note "…"');
    const credential = neededDecider(call.flags, config).run({ run_id, decision: 'run_steered', said: { note } });
    await showOutcome(call.terminal, runtime, await runtime.steer(run_id, { credential, note }));
    return exitOf('done');
  });

/** A cancel goes to whoever drives the run; `--here` ends one that cannot go on, because its pack or its snapshot is gone. */
export const cancelSession: Action = (call) =>
  withRuntime(call, async ({ runtime, config }) => {
    const run_id = word(call, 'session');
    const reason = neededReason(call);
    const credential = neededDecider(call.flags, config).run({ run_id, decision: 'run_cancelled', said: { reason } });
    const answer = { credential, reason };
    const outcome = isOn(call.flags, 'here')
      ? await runtime.terminate(run_id, answer)
      : await runtime.cancel(run_id, answer);
    await showOutcome(call.terminal, runtime, outcome, ({ driver }) =>
      driver === null
        ? null
        : `the cancel is on record; ${driverWords(driver)} calls back what is under way and ends it`,
    );
    return exitOf('done');
  });

/** What a session was started on, or taken to since. */
async function pinsOf(runtime: Ambit, runId: string): Promise<JsonObject> {
  const events = await eventsOf(runtime, runId);
  const migrated = events.findLast((event) => event.type === 'run_migrated');
  if (migrated !== undefined) return { ...migrated.to };
  const { pack_pin, snapshot_pin } = events.find((event) => event.type === 'run_initialized')?.manifest ?? {};
  return { ...(pack_pin === undefined ? {} : { pack_pin }), ...(snapshot_pin === undefined ? {} : { snapshot_pin }) };
}

export const migrateSession: Action = (call) =>
  withRuntime(call, async ({ runtime, config }) => {
    const run_id = word(call, 'session');
    const [pack_pin, snapshot_pin] = [textOf(call.flags, 'pack'), textOf(call.flags, 'snapshot')];
    if (pack_pin === null || snapshot_pin === null) {
      throw new Fault('input_invalid', 'name what it goes on with: --pack <pin> --snapshot <pin>');
    }
    const reason = neededReason(call);
    const to = { pack_pin, snapshot_pin };
    const said = { from: await pinsOf(runtime, run_id), to, reason };
    const credential = neededDecider(call.flags, config).run({ run_id, decision: 'run_migrated', said });
    return await showOutcome(call.terminal, runtime, await runtime.migrate(run_id, { credential, reason, to }));
  });
