import { type Ambit, Fault, type JsonObject, type RequestUser, type RunOutcome } from '../../index.ts';
import type { RunEvent } from '../../model/events/event.ts';
import type { ScriptedModel } from '../scripted-model.ts';

/** The person who decides a gate in a scenario. */
export interface ScenarioDecider {
  /** Default: `approver`. */
  readonly name?: string;
  /** Default: the roles that the gate asks for. */
  readonly roles?: readonly string[];
  readonly reason?: string;
}

interface SeenCall {
  readonly stepId: string | null;
  readonly tool: string;
  readonly args: JsonObject;
}

interface SeenGate {
  readonly name: string;
  readonly gateId: string;
  readonly packetHash: string;
  readonly stepId: string | null;
  readonly tool: string;
  readonly args: JsonObject;
  readonly roles: readonly string[];
}

/** The tools with which a plan speaks to the user. A scenario checks their text, not their calls. */
const SPEAKING_TOOLS: readonly string[] = ['respond', 'clarify'];

/** The state of a scenario while its lines run: the current run, and its recorded calls, gates and refusals. */
export class ScenarioRun {
  outcome: RunOutcome | null = null;
  calls: readonly SeenCall[] = [];
  gates: readonly SeenGate[] = [];
  /** Refused requests and decisions, in order. */
  private refusedActions: readonly string[] = [];
  /** The refusals that each run has recorded. */
  private readonly refusedInRuns = new Map<string, readonly string[]>();
  private checkedCalls = 0;
  private refusedAction: Fault | null = null;
  private readonly runtime: Ambit;
  private readonly user: RequestUser;
  /** The script of the scenario, all of whose turns have to be used. */
  private readonly model: ScriptedModel | null;
  /** The scripted model that is asked: that of the scenario or of the agent. */
  private readonly asked: ScriptedModel | null;

  constructor(runtime: Ambit, user: RequestUser, model: ScriptedModel | null, asked: ScriptedModel | null) {
    this.runtime = runtime;
    this.user = user;
    this.model = model;
    this.asked = asked;
  }

  say(message: string, details: { readonly intent?: string; readonly inputs?: JsonObject }): Promise<string | null> {
    this.checkedCalls = 0;
    const request = { message, user: this.user, thread: 'th_scenario', ...details };
    return this.act(() => this.runtime.start(request).settled);
  }

  async decide(decision: 'approve' | 'reject', decider: ScenarioDecider = {}): Promise<string | null> {
    const [gate] = this.gates;
    if (gate === undefined) return `no gate is open. ${this.describe()}`;
    const { name = 'approver', roles = gate.roles, reason = `${decision} in a scenario` } = decider;
    const credential = { kind: 'local_operator', name, roles } as const;
    const { gateId, packetHash } = gate;
    // A rejected call leaves the list of calls, so the place of the next call moves down.
    if (decision === 'reject' && this.calls.slice(0, this.checkedCalls).includes(gate)) this.checkedCalls -= 1;
    return this.act(() => this.runtime.gates[decision](gateId, { packetHash, credential, reason }));
  }

  async answer(answers: JsonObject): Promise<string | null> {
    const { outcome } = this;
    const question = outcome?.question ?? null;
    if (outcome === null || question === null) return `no question is open. ${this.describe()}`;
    return this.act(() => this.runtime.sessions.answer(outcome.runId, question, answers, this.user.name));
  }

  nextCall(): SeenCall | null {
    const call = this.calls[this.checkedCalls] ?? null;
    if (call !== null) this.checkedCalls += 1;
    return call;
  }

  /** Everything that was refused so far, with code and reason. */
  get refusals(): readonly string[] {
    return [...this.refusedActions, ...[...this.refusedInRuns.values()].flat()];
  }

  /** Returns a refused request or decision that the next line does not expect. */
  unexpected(expectsRefusal: boolean): string | null {
    const refused = this.refusedAction;
    this.refusedAction = null;
    return refused === null || expectsRefusal ? null : `it was refused: ${refused.code}: ${refused.message}`;
  }

  /** Returns a failure if the script of the model has turns left. */
  unused(): string | null {
    return this.faultOf(() => this.model?.assertDrained());
  }

  /** Describes what happened so far, for the message of a failed line. */
  describe(): string {
    const { outcome } = this;
    const list = (title: string, texts: readonly string[]): readonly string[] =>
      texts.length === 0 ? [] : [`${title}: ${texts.join('; ')}`];
    const refusals = this.refusals.map((refusal) => `refused: ${refusal}`);
    if (outcome === null) return ['No run was started.', ...refusals].join('\n    ');
    return [
      `The run ${outcome.terminalCode === null ? waitOf(outcome) : `ended ${outcome.terminalCode} (${outcome.reason})`}`,
      ...list(
        'calls',
        this.calls.map(({ tool, args }) => `${tool}(${JSON.stringify(args)})`),
      ),
      ...list(
        'open gates',
        this.gates.map(({ name, tool }) => `${name} for ${tool}`),
      ),
      ...refusals,
      ...list('text', outcome.text === null ? [] : [JSON.stringify(outcome.text)]),
    ].join('\n    ');
  }

  private async act(action: () => Promise<RunOutcome>): Promise<string | null> {
    try {
      this.outcome = await action();
    } catch (error) {
      if (!Fault.is(error)) throw error;
      this.refusedAction = error;
      this.refusedActions = [...this.refusedActions, `${error.code}: ${error.message}`];
      return null;
    }
    await this.read(this.outcome);
    return this.unscripted();
  }

  private unscripted(): string | null {
    return this.faultOf(() => this.asked?.assertWithinScript());
  }

  private faultOf(check: () => void): string | null {
    try {
      check();
      return null;
    } catch (error) {
      if (!Fault.is(error)) throw error;
      return `${error.message}. ${this.describe()}`;
    }
  }

  private async read({ runId, pending }: RunOutcome): Promise<void> {
    this.gates = await Promise.all(
      pending.map(async ({ gateId, name, packetHash, stepId }) => {
        const packet = await this.runtime.gates.packet(packetHash);
        const { roles = [] } = (packet['deciders'] ?? {}) as { readonly roles?: readonly string[] };
        const args = (packet['parameters'] ?? {}) as JsonObject;
        return { name, gateId, packetHash, stepId, tool: String(packet['action'] ?? name), args, roles };
      }),
    );
    const sent = (await this.runtime.records.transcripts(runId))
      .filter(({ call }) => call.attempt === 1 && !SPEAKING_TOOLS.includes(call.tool))
      .map(({ call }) => ({ stepId: call.step_id, tool: call.tool, args: call.args }));
    this.calls = [...sent, ...this.gates.filter(({ stepId }) => stepId !== null)];
    const refusals: string[] = [];
    for await (const { event } of this.runtime.sessions.watch(runId, { idle: AbortSignal.abort() })) {
      refusals.push(...refusalsIn(event));
    }
    this.refusedInRuns.set(runId, refusals);
  }
}

/** The status of a run that waits, and the reason if it was handed over. */
const waitOf = ({ status, suspended }: RunOutcome): string =>
  `waits (${status}${status === 'paused' && suspended !== null ? `, ${suspended.code}: ${suspended.reason}` : ''})`;

function refusalsIn(event: RunEvent): readonly string[] {
  switch (event.type) {
    case 'plan_verified':
      return event.problems.map(
        ({ code, message, path }) => `plan: ${code}: ${message}${path === '' ? '' : ` (${path})`}`,
      );
    case 'plan_failed':
      return [`plan: ${event.code}: ${event.message}`];
    case 'step_refused':
      return [`call: ${event.code}: ${event.message}`];
    case 'sentences_ruled':
      return event.rulings.filter(({ ruling }) => ruling !== 'proven').map(({ reason }) => `sentence: ${reason}`);
    default:
      return [];
  }
}
