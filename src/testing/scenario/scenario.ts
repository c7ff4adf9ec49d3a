import { isDeepStrictEqual } from 'node:util';
import { type Agent, type AmbitOptions, ambit, Fault, type JsonObject, type RequestUser } from '../../index.ts';
import { guardInput } from '../../model/fault/guard-input.ts';
import type { ModelUse } from '../../ports/model/language-model.ts';
import { type ModelTurn, type ScriptedModel, scriptedModel } from '../scripted-model.ts';
import { type ScenarioDecider, ScenarioRun } from './scenario-run.ts';

export interface ScenarioOptions {
  /** Replaces the model of the agent: the answers of the model in order, or a scripted model. */
  readonly model?: readonly ModelTurn[] | ScriptedModel;
  /** The user for whom the runs act. Default: `ada` of the tenant `test`, with every role of the agent. */
  readonly user?: RequestUser;
  readonly world?: AmbitOptions['world'];
}

/** Details of one message. */
export interface SayOptions {
  readonly intent?: string;
  readonly inputs?: JsonObject;
}

/** A test of an agent as a list of lines. It is immutable: each method returns a scenario with one more line. */
export interface AgentScenario {
  /** Sends a message. All messages of a scenario belong to one thread. */
  say(message: string, options?: SayOptions): AgentScenario;
  /** Checks the next call that was sent or that waits at a gate. Without `args` it checks only the tool. */
  expectCall(tool: string, args?: JsonObject): AgentScenario;
  /** Checks that no further call was sent or waits; with a tool, that no call of this message used it. */
  expectNoCall(tool?: string): AgentScenario;
  /** Checks that a gate is open, by the name of the gate or of the tool that waits there. */
  expectGate(name?: string): AgentScenario;
  /** Approves the first open gate. The default decider has the roles that the gate asks for. */
  approve(decider?: ScenarioDecider): AgentScenario;
  /** Rejects the first open gate. */
  reject(decider?: ScenarioDecider): AgentScenario;
  /** Answers the open question of the run. */
  answer(answers: JsonObject): AgentScenario;
  /** Checks that the answer contains a text or matches a pattern. */
  expectText(text: string | RegExp): AgentScenario;
  /** Checks `outcome.output`. */
  expectOutput(output: unknown): AgentScenario;
  /** Checks that a plan, call, sentence, request or decision was refused; `reason` is a part of the recorded reason. */
  expectRefusal(reason?: string): AgentScenario;
  /** Checks the terminal code of the run, such as `SUCCESS`, and the reason for it. */
  expectEnd(code: string, reason?: string): AgentScenario;
  /** Runs the lines in order. Rejects at the first line that fails, and at unused turns of the model. */
  run(): Promise<void>;
  /** Throws: a scenario is not a promise. The compiler and the runtime reject `await` without `run()`. */
  then(): never;
}

interface Line {
  readonly text: string;
  /** The stack of the call that added the line, so that a test runner shows this line. */
  readonly site: { readonly stack?: string };
  /** Returns the reason for a failure; null if the line holds. */
  readonly act: (run: ScenarioRun) => Promise<string | null>;
}

/** Describes a conversation with an agent, which `run()` executes on the real runtime with a store in memory. */
export const scenario: (agent: Agent, options?: ScenarioOptions) => AgentScenario = guardInput(
  'scenario',
  (agent: Agent, options: ScenarioOptions = {}): AgentScenario => {
    const lane = agent.tools.find(({ spec }) => spec.lane !== undefined);
    if (lane !== undefined) {
      throw refused(
        agent,
        `the tool ${lane.spec.name} is a lane, and scenarios do not support lanes: test its agent alone`,
      );
    }
    return withLines(agent, options, []);
  },
);

function withLines(agent: Agent, options: ScenarioOptions, lines: readonly Line[]): AgentScenario {
  const line = (method: keyof AgentScenario, args: readonly unknown[], act: Line['act']): readonly Line[] => {
    const site: { stack?: string } = {};
    Error.captureStackTrace(site, builder[method]);
    return [...lines, { text: lineText(method, args), site, act }];
  };
  const add = (...next: Parameters<typeof line>): AgentScenario => withLines(agent, options, line(...next));
  const builder: AgentScenario = Object.freeze({
    say: (message, details = {}) => add('say', [message], (run) => run.say(message, details)),
    expectCall: (tool, args) => add('expectCall', [tool, args], async (run) => checkCall(run, tool, args)),
    expectNoCall: (tool) => add('expectNoCall', [tool], async (run) => checkNoCall(run, tool)),
    expectGate: (name) => add('expectGate', [name], async (run) => checkGate(run, name)),
    approve: (decider) => add('approve', [decider], (run) => run.decide('approve', decider)),
    reject: (decider) => add('reject', [decider], (run) => run.decide('reject', decider)),
    answer: (answers) => add('answer', [answers], (run) => run.answer(answers)),
    expectText: (text) => add('expectText', [text], async (run) => checkText(run, text)),
    expectOutput: (output) => add('expectOutput', [output], async (run) => checkOutput(run, output)),
    expectRefusal: (reason) => add('expectRefusal', [reason], async (run) => checkRefusal(run, reason)),
    expectEnd: (code, reason) => add('expectEnd', [code, reason], async (run) => checkEnd(run, code, reason)),
    run: () =>
      runLines(
        agent,
        options,
        line('run', [], async (run) => run.unused()),
      ),
    // biome-ignore lint/suspicious/noThenProperty: without it, awaiting a scenario that was never run would pass
    then: () => {
      throw refused(agent, 'the scenario was awaited and never run: end it with .run()');
    },
  } satisfies AgentScenario);
  return builder;
}

async function runLines(agent: Agent, options: ScenarioOptions, lines: readonly Line[]): Promise<void> {
  const model = options.model === undefined ? null : scriptFrom(options.model);
  const runtime = ambit({
    agent: model === null ? agent : withScript(agent, model),
    store: 'memory',
    ...(options.world === undefined ? {} : { world: options.world }),
  });
  const user = options.user ?? { name: 'ada', tenant: 'test', roles: Object.keys(agent.spec.access.role_authority) };
  const run = new ScenarioRun(runtime, user, model, model ?? ownScript(agent));
  try {
    for (const [at, line] of lines.entries()) {
      const expectsRefusal = lines[at + 1]?.text.startsWith('.expectRefusal(') === true;
      const why = (await line.act(run)) ?? run.unexpected(expectsRefusal);
      if (why !== null) throw failure(lines, at, why);
    }
  } finally {
    await runtime.close();
  }
}

const scriptFrom = (model: readonly ModelTurn[] | ScriptedModel): ScriptedModel =>
  'generate' in model ? model : scriptedModel(model);

/** The scripted model of the agent itself; null if it asks a real model or none. */
function ownScript({ planner, roles = {} }: Agent): ScriptedModel | null {
  const users: readonly ({ readonly uses?: readonly ModelUse[] } | null | undefined)[] = [
    planner,
    ...Object.values(roles).flat(),
  ];
  const models = users.flatMap((part) => part?.uses ?? []).map(({ profile }) => profile.model);
  return models.find((model): model is ScriptedModel => 'assertWithinScript' in model) ?? null;
}

function withScript(agent: Agent, model: ScriptedModel): Agent {
  if (agent.withModel !== undefined) return agent.withModel(model);
  throw refused(agent, 'it was not made with agent(), so model cannot replace its model: leave model out');
}

const refused = (agent: Agent, why: string): Fault =>
  new Fault('input_invalid', `scenario of the agent ${agent.spec.name}: ${why}`);

function checkCall(run: ScenarioRun, tool: string, args: JsonObject | undefined): string | null {
  const call = run.nextCall();
  if (call === null) return `no further call was made. ${run.describe()}`;
  const matches = call.tool === tool && (args === undefined || isDeepStrictEqual(call.args, args));
  return matches ? null : `the next call was ${call.tool}(${JSON.stringify(call.args)}). ${run.describe()}`;
}

function checkNoCall(run: ScenarioRun, tool: string | undefined): string | null {
  const call = tool === undefined ? run.nextCall() : run.calls.find((each) => each.tool === tool);
  return call == null ? null : `${call.tool}(${JSON.stringify(call.args)}) was called. ${run.describe()}`;
}

function checkGate(run: ScenarioRun, name: string | undefined): string | null {
  const open = run.gates.some((gate) => name === undefined || gate.name === name || gate.tool === name);
  return open ? null : `${run.gates.length === 0 ? 'no gate is' : 'another gate is'} open. ${run.describe()}`;
}

function checkText(run: ScenarioRun, text: string | RegExp): string | null {
  const actual = run.outcome?.text ?? '';
  const matches = typeof text === 'string' ? actual.includes(text) : text.test(actual);
  return matches ? null : `the text is ${JSON.stringify(actual)}. ${run.describe()}`;
}

function checkOutput(run: ScenarioRun, output: unknown): string | null {
  const actual = run.outcome?.output ?? null;
  return isDeepStrictEqual(actual, output) ? null : `the output is ${JSON.stringify(actual)}. ${run.describe()}`;
}

function checkRefusal(run: ScenarioRun, reason: string | undefined): string | null {
  const found = run.refusals.some((text) => reason === undefined || text.includes(reason));
  if (found) return null;
  return run.refusals.length === 0
    ? `nothing was refused: a plan that the model corrects before it is proposed counts as no refusal. ${run.describe()}`
    : `something else was refused. ${run.describe()}`;
}

function checkEnd(run: ScenarioRun, code: string, reason: string | undefined): string | null {
  const { outcome } = run;
  const matches = outcome?.terminalCode === code && (reason === undefined || outcome.reason === reason);
  return matches ? null : run.describe();
}

const lineText = (method: string, args: readonly unknown[]): string => {
  const shown = args
    .filter((arg) => arg !== undefined)
    .map((arg) => (arg instanceof RegExp ? String(arg) : JSON.stringify(arg)));
  return `.${method}(${shown.join(', ')})`;
};

/** The error of a line. Its stack begins at the line of the test, where a test runner points. */
function failure(lines: readonly Line[], at: number, why: string): Error {
  const list = lines.map(({ text }, place) => `  ${place < at ? '✓' : place === at ? '✗' : ' '} ${place + 1} ${text}`);
  const error = new Error(`line ${at + 1} of the scenario failed: ${lines[at]?.text}\n  ${why}\n\n${list.join('\n')}`);
  const [, ...frames] = (lines[at]?.site.stack ?? '').split('\n');
  error.stack = [`${error.name}: ${error.message}`, ...frames].join('\n');
  return error;
}
