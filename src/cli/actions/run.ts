import { resolve } from 'node:path';
import type { InboxItem } from '../../approvals.ts';
import {
  type Ambit,
  type AmbitConfig,
  Fault,
  type Identity,
  type JsonObject,
  type RunHandle,
  type RunOutcome,
} from '../../index.ts';
import { formatHint } from '../cli-fault.ts';
import {
  type Action,
  argument,
  type Call,
  type Flags,
  getExitCode,
  isFlagSet,
  readAssignmentFlags,
  readGoal,
  readNumberFlag,
  readTextFlag,
} from '../command.ts';
import { type LoadedConfig, loadConfig } from '../config/load-config.ts';
import { findDecider, requireDecider } from '../decider.ts';
import { readJsonFile } from '../files.ts';
import { chooseGates, type PromptContext, promptGateDecision, submitDecision } from '../shared/decide-gate.ts';
import { findOpenGate } from '../shared/find-gate.ts';
import { createFollower } from '../shared/follow-run.ts';
import { showOutcome } from '../shared/show-outcome.ts';
import { withRuntime, withStartedRun } from '../shared/with-runtime.ts';
import { escapeText } from '../terminal/escape.ts';
import { askChoice, askText } from '../terminal/prompts.ts';
import type { CliTerminal } from '../terminal/terminal.ts';
import { formatCount } from '../views/format.ts';

export const runAgentAction: Action = async (call) => {
  const loaded = await loadConfig(call.configFile);
  const goal = readGoal(call.flags);
  if (goal === null) throw new Fault('input_invalid', 'a goal is required: --goal "…"');
  return await runRequest(call, loaded, { agent: selectAgent(call, loaded), goal });
};

/** Returns the agent of the command line, or the only agent of the config. */
export function selectAgent(call: Call, { config }: LoadedConfig): string {
  const names = config.agents.map(({ spec }) => spec.name);
  const typed = argument(call, 'agent');
  if (typed === '' && names.length === 1) return names[0] ?? '';
  // The runtime refuses a lane's worker, such as `boss/do_pay`, and names its parent.
  if (names.includes(typed) || names.some((name) => typed.startsWith(`${name}/`))) return typed;
  const message = typed === '' ? 'an agent is required' : `unknown agent ${typed}`;
  throw new Fault('input_invalid', `${message}; the config has ${names.join(', ')}`);
}

interface RunRequest {
  readonly agent: string;
  readonly goal: string;
}

/** Runs a request until it ends or waits. Prompts for gate decisions at a terminal. */
export async function runRequest(call: Call, loaded: LoadedConfig, { agent, goal }: RunRequest): Promise<number> {
  const { terminal, flags } = call;
  const identity = readIdentity(flags, loaded.config);
  checkDecider(call, loaded);
  const intent = readTextFlag(flags, 'intent');
  const inputs = readInputs(call);
  const thread = readTextFlag(flags, 'thread');
  const request = {
    message: goal,
    user: identity,
    inputs,
    ...(intent === null ? {} : { intent }),
    ...(thread === null ? {} : { thread }),
  };
  const start = (runtime: Ambit): RunHandle => runtime.start(agent, request);
  return await withStartedRun(loaded, start, async (runtime, run) => {
    const runId = await run.runId;
    const follow = createFollower(runtime, runId, terminal);
    const onInterrupt = handleInterrupt(terminal, runId);
    try {
      const first = await follow(run.settled);
      const context = { runtime, config: loaded.config, terminal, flags, follow };
      return await showOutcome(terminal, runtime, await decideUntilIdle(context, first, identity.actor));
    } finally {
      process.off('SIGINT', onInterrupt);
    }
  });
}

/** The lifetime of an identity without `expires_at`. */
const IDENTITY_MS = 3_600_000;

/** Reads the identity of the run: the file of `--identity` or the config, with `--actor` and `--tenant` on top. */
export function readIdentity(flags: Flags, config: AmbitConfig): Identity {
  const file = readTextFlag(flags, 'identity');
  const known: Partial<Identity> = file === null ? (config.identity ?? {}) : readJsonFile(resolve(file), '--identity');
  const actor = readTextFlag(flags, 'actor') ?? known.actor;
  const tenant_id = readTextFlag(flags, 'tenant') ?? known.tenant_id;
  if (actor === undefined || tenant_id === undefined) {
    const message =
      'an identity is required: set identity in the config, or pass --identity <file>, or --actor and --tenant';
    throw new Fault('input_missing', message);
  }
  const { roles = [], scopes = [], expires_at = Date.now() + IDENTITY_MS } = known;
  return { actor, tenant_id, roles, scopes, expires_at };
}

/** Checks the decider before the run starts: `--yes` without one must not leave a run at its gate. */
function checkDecider({ flags }: Call, { config }: LoadedConfig): void {
  if (isFlagSet(flags, 'yes')) requireDecider(flags, config);
  else findDecider(flags, config);
}

/** Exits on Ctrl-C with a hint how to resume. The run stays in the journal. */
function handleInterrupt(terminal: CliTerminal, runId: string): () => void {
  const stop = (): void => {
    terminal.note((paint) => `\n${paint('quiet', 'next:')} ${formatHint(`ambit sessions resume ${runId}`)}`);
    process.exit(getExitCode('interrupted'));
  };
  process.once('SIGINT', stop);
  return stop;
}

export function readInputs({ flags }: Call): JsonObject {
  const file = readTextFlag(flags, 'inputsFile');
  const fromFile = file === null ? {} : readJsonFile(resolve(file), '--inputs-file');
  return { ...fromFile, ...readAssignmentFlags(flags, 'input') };
}

/** Decides gates and answers questions until the run ends or nothing more can be decided here. */
async function decideUntilIdle(context: PromptContext, first: RunOutcome, actor: string): Promise<RunOutcome> {
  let outcome = first;
  for (;;) {
    const next = await decideNext(context, outcome, actor);
    if (next === null) return outcome;
    outcome = next;
  }
}

async function decideNext(context: PromptContext, outcome: RunOutcome, actor: string): Promise<RunOutcome | null> {
  const [gate] = outcome.pending;
  if (gate !== undefined) {
    const item = await findOpenGate(context.runtime, gate.gateId);
    return item === null ? null : await decideGate(context, item);
  }
  if (outcome.question === null || !context.terminal.isInteractive) return null;
  return await promptAnswers(context, outcome, actor);
}

/** Prompts for the answers to a question of the run and submits them as its actor. */
async function promptAnswers(
  { runtime, follow }: PromptContext,
  { runId, question }: RunOutcome,
  actor: string,
): Promise<RunOutcome | null> {
  if (question === null) return null;
  const { fields, readings } = question;
  const answers: Record<string, string> = {};
  for (const field of fields) {
    const answer =
      field === 'intent' && readings.length > 0
        ? await askChoice(
            'Which intent do you mean?',
            readings.map((value) => ({ value, label: escapeText(value) })),
          )
        : await askText([...readings.map(escapeText), `${escapeText(field)}?`].join('\n'));
    if (answer === null) return null;
    answers[field] = answer;
  }
  return await follow(runtime.sessions.answer(runId, question, answers, actor));
}

async function decideGate(context: PromptContext, item: InboxItem): Promise<RunOutcome | null> {
  const { runtime, config, terminal, flags, follow } = context;
  if (!isFlagSet(flags, 'yes')) return terminal.isInteractive ? await promptGateDecision(context, item) : null;
  const decider = requireDecider(flags, config);
  const { gate_id, packet_hash: packetHash } = item.gate;
  const named = await chooseGates(context, item, decider);
  const names = (named.gates ?? item.gates.map(({ name }) => name)).join(', ');
  terminal.note((paint) => `--yes approves ${paint('warning', names)} as ${decider.name}: ${packetHash}`);
  const reason = readTextFlag(flags, 'reason') ?? 'approved in advance with --yes';
  return await follow(submitDecision(runtime, gate_id, decider, { decision: 'approve', packetHash, reason, ...named }));
}

/** Drives due sessions until SIGINT or SIGTERM, then finishes the work in progress. */
export const serveSessionsAction: Action = (call) =>
  withRuntime(call, async ({ runtime, terminal, flags }) => {
    const stop = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
    const names = runtime.agents.list().map(({ spec }) => spec.name);
    terminal.note((paint) => `${paint('good', '►')} serving the sessions of ${names.join(', ')}; Ctrl-C to stop`);
    const concurrency = readNumberFlag(flags, 'concurrency');
    const stopWithin = readNumberFlag(flags, 'stopWithin');
    const note = (mark: string, session: string, error: unknown): void => {
      const [code, message] = Fault.is(error) ? [error.code, error.message] : ['internal', String(error)];
      terminal.note((paint) => `${paint('bad', mark)} ${session}  ${code}: ${escapeText(message)}`);
    };
    const served = await runtime.serve({
      signal: stop.signal,
      ...(concurrency === null ? {} : { concurrency }),
      ...(stopWithin === null ? {} : { stopWithinMs: stopWithin * 1_000 }),
      failed: (session, error) => note('✗', session, error),
      quarantined: (session, error) => note('✗ quarantined', session, error),
    });
    const { driven, failed, quarantined } = served;
    const set = quarantined.length === 0 ? '' : `, ${quarantined.length} quarantined: ${quarantined.join(', ')}`;
    terminal.show(served, () => `${formatCount(driven, 'drive')}, ${failed} failed${set}`);
  });
