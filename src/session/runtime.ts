import { Fault } from '../model/fault.ts';
import type { GateDecisionKind } from '../model/gate.ts';
import type { JsonObject } from '../model/json.ts';
import type { Journal } from '../ports/journal.ts';
import { explainClosed } from './closed-gate.ts';
import type { LiveRun } from './drive.ts';
import { heard } from './heard.ts';
import type { Host } from './host.ts';
import { outcomeOf, type RunOutcome } from './outcome.ts';

/** A person's word on a gate: who, about exactly which packet, and why. Whoever calls has made sure that it is they. */
export interface GateAnswer {
  readonly gateId: string;
  readonly packetHash: string;
  readonly approver: string;
  readonly reason: string;
}

/** Everything that can be asked of an agent's runs. Every call resolves when the run waits again or has ended. */
export interface Runtime {
  invoke(request: unknown): Promise<RunOutcome>;
  approve(answer: GateAnswer): Promise<RunOutcome>;
  reject(answer: GateAnswer): Promise<RunOutcome>;
  answer(runId: string, questionId: string, answers: JsonObject, by: string): Promise<RunOutcome>;
  /** Anything else that may be said to a run, as the event it is: see `heard`. */
  tell(runId: string, said: unknown): Promise<RunOutcome>;
  /** Takes a run over that no process is driving any more, and drives it on; limits that have passed take effect. */
  resume(runId: string): Promise<RunOutcome>;
  outcome(runId: string): Promise<RunOutcome>;
  /** What a gate shows, word for word. */
  packet(packetHash: string): Promise<JsonObject>;
  close(): Promise<void>;
}

export function createRuntime(host: Host, journal: Journal): Runtime {
  const live = new Map<string, LiveRun>();

  const runOf = async (runId: string): Promise<LiveRun> => {
    const known = live.get(runId) ?? (await host.reload(runId));
    live.set(runId, known);
    return known;
  };

  const tell = async (runId: string, said: unknown): Promise<RunOutcome> => {
    const input = heard(said);
    const run = await runOf(runId);
    const refused = await run.deliver(input).catch(forget(runId));
    if (refused !== null) throw refused;
    return settle(run);
  };

  /** What this process holds may be behind the journal now: the next one to ask loads it anew. */
  const forget =
    (runId: string) =>
    (error: unknown): never => {
      live.delete(runId);
      throw error;
    };

  const settle = async (run: LiveRun): Promise<RunOutcome> => {
    const state = await run.rest().catch(forget(run.state.id.runId));
    if (state.ending.terminal !== null) live.delete(state.id.runId);
    return outcomeOf(state);
  };

  const decide = async (decision: GateDecisionKind, answer: GateAnswer): Promise<RunOutcome> => {
    const { gateId, packetHash, approver, reason } = answer;
    const [row] = await journal.gates({ gate: gateId, limit: 1 });
    if (row === undefined) throw new Fault('gate_not_found', `there is no gate ${gateId}`);
    const body = { gate_id: gateId, packet_hash: packetHash, decision, approver, reason };
    return await tell(row.session_id, { type: 'gate_decided', ...body }).catch(async (refusal: unknown) => {
      throw await explainClosed(journal, gateId, refusal);
    });
  };

  return {
    invoke: async (request) => {
      const run = await host.start(request);
      live.set(run.state.id.runId, run);
      return await settle(run);
    },
    approve: (answer) => decide('approve', answer),
    reject: (answer) => decide('reject', answer),
    answer: (runId, questionId, answers, by) =>
      tell(runId, { type: 'question_answered', question_id: questionId, answers, changes_scope: false, by }),
    tell,
    resume: async (runId) => {
      const run = await runOf(runId);
      await run.wake();
      return await settle(run);
    },
    outcome: async (runId) => outcomeOf(live.get(runId)?.state ?? (await host.look(runId))),
    packet: async (packetHash) => JSON.parse(await journal.blob(packetHash as `sha256:${string}`)) as JsonObject,
    close: () => journal.close(),
  };
}
