import { Fault } from '../model/fault.ts';
import { deepFreeze } from '../model/freeze.ts';
import { ANSWER_LIMITS, type Json } from '../model/json.ts';
import { reasonOf } from '../model/printable.ts';
import { besidesSealed } from '../model/sealed.ts';
import { takeJson } from '../model/take-json.ts';
import { NO_COST, type ToolCall, type ToolOutcome, type ToolResult, type ToolSpec } from '../model/tool.ts';
import type { BoundTool, ToolContext } from '../ports/bound-tool.ts';
import type { CredentialBroker } from '../ports/credentials.ts';
import type { Logger, LogSink } from '../ports/log.ts';
import type { CallLimits, Tools } from '../ports/tools.ts';
import { Keyring } from './credentials/keyring.ts';
import { type Redactor, redactor } from './credentials/redact.ts';
import { turnedDown } from './credentials/turned-down.ts';
import { type WorkedBefore, workedBefore } from './credentials/worked-before.ts';
import { NeverHanded } from './never-handed.ts';
import { type Opened, openArguments, type Sealing, sealAnswer } from './sealing.ts';
import { NOBODY_READS, toolLog } from './tool-log.ts';

/** What tools in this process may ask for beside their arguments. */
export interface ToolServices {
  readonly credentials?: CredentialBroker;
  readonly log?: LogSink;
}

/** Every tool of a registry and, beside each, the ones that look at what it did. Each once, in the order given. */
export function withCompanions(tools: readonly BoundTool[]): readonly BoundTool[] {
  const all = new Set(tools);
  for (const tool of all) for (const companion of tool.companions ?? []) all.add(companion);
  return [...all];
}

/** Code in this process, behind the gateway's port. Nothing to return is an empty answer, not a success. */
export function boundTools(tools: readonly BoundTool[], services: ToolServices = {}, sealing?: Sealing): Tools {
  const byName = new Map(withCompanions(tools).map((tool) => [tool.spec.name, tool]));
  const attempting = { ...services, worked: workedBefore(), sealing };
  return {
    call: (call, limits) => attempt(byName.get(call.tool), call, limits, attempting),
    probing: (name) => byName.get(name)?.probing,
    problems: (name, args) => {
      const tool = byName.get(name);
      return besidesSealed(tool?.checks?.input?.(args) ?? [], args, tool?.spec.privacy?.opens);
    },
  };
}

/** Without a key nobody could tell a repetition from a second order. */
function unkeyed(tool: string): Fault {
  return new Fault('permission_denied', `${tool} changes something and was called without an idempotency key`);
}

interface Attempting extends ToolServices {
  readonly worked: WorkedBefore;
  readonly sealing: Sealing | undefined;
}

async function attempt(
  tool: BoundTool | undefined,
  call: ToolCall,
  limits: CallLimits,
  { credentials, log, worked, sealing }: Attempting,
): Promise<ToolResult> {
  if (tool === undefined) return result(call, 'error', null, `there is no code behind ${call.tool}`);
  const { spec } = tool;
  if (spec.side_effect && call.idempotency_key === '') throw unkeyed(call.tool);
  const { tenantId, actor } = limits.caller;
  const name = `${call.tool}\n${tenantId}\n${actor}`;
  const asking = { tool: call.tool, refresh: worked.hasExpired(name) };
  const opened = opensNothing(spec) ? { args: call.args, values: NOTHING } : await open(sealing, spec, tenantId, call);
  const keys = new Keyring(credentials, asking, limits, opened.values);
  const context = contextOf(call, limits, keys, log === undefined ? NOBODY_READS : logOf(log, call, limits, keys));
  const args = deepFreeze(opened.args);
  let first = '';
  try {
    let raw: Json | undefined;
    try {
      raw = await tool.execute(args, context);
    } catch (error) {
      if (!mayHaveExpired(error, keys, worked.has(name))) throw error;
      // One intent is one try of what changes something: the next one, if there is one, is given a renewed credential.
      if (!onlyReads(tool)) {
        worked.noteExpired(name);
        throw expired(call.tool, error);
      }
      first = `turned down at first: ${reasonOf(error)}; then tried once more with a renewed credential`;
      keys.renew();
      raw = await tool.execute(args, context);
    }
    if (keys.used) worked.note(name);
    if (raw === undefined || raw === null) return withFirst(result(call, 'empty', null), keys, first);
    const shown = keys.isEmpty ? null : redactor(keys.secrets);
    const said = isTakenAsItIs(tool, shown)
      ? result(call, 'ok', raw)
      : await answered(tool, call, raw, shown, (taken) => sealAnswer(sealing, spec, tenantId, taken));
    return withFirst(said, keys, first);
  } catch (error) {
    throw hidden(first === '' ? error : second(call.tool, first, error), keys);
  }
}

const NOTHING: readonly string[] = Object.freeze([]);

const opensNothing = ({ privacy }: ToolSpec): boolean => privacy?.opens === undefined;

async function open(
  sealing: Sealing | undefined,
  spec: ToolSpec,
  tenantId: string,
  { args }: ToolCall,
): Promise<Opened> {
  try {
    return await openArguments(sealing, spec, tenantId, args);
  } catch (error) {
    throw new NeverHanded(error);
  }
}

/** A signal and a desk are made when somebody asks for them, and few do. */
function contextOf(call: ToolCall, limits: CallLimits, keys: Keyring, log: Logger): ToolContext {
  const { runId, tenantId } = limits.caller;
  return {
    idempotencyKey: call.idempotency_key,
    get signal() {
      return limits.signal;
    },
    runId,
    stepId: call.step_id,
    tenantId,
    credentials: () => keys.values(),
    log,
    get models() {
      return limits.models;
    },
  };
}

function logOf(sink: LogSink, call: ToolCall, { caller }: CallLimits, keys: Keyring): Logger {
  const { runId, tenantId } = caller;
  return toolLog(sink, { run_id: runId, step_id: call.step_id, tenant_id: tenantId, tool: call.tool }, keys.secrets);
}

const onlyReads = ({ spec }: BoundTool): boolean => !spec.side_effect && spec.approval_mode === 'read_only';

/** Both tries are on record with the one answer. */
function withFirst(said: ToolResult, keys: Keyring, first: string): ToolResult {
  if (first === '') return said;
  return {
    ...said,
    detail: [redactor(keys.secrets).text(first), said.detail ?? ''].filter((part) => part !== '').join('; '),
  };
}

function second(tool: string, first: string, error: unknown): Fault {
  if (turnedDown(error)) return expired(tool, `${first}: ${reasonOf(error)}`);
  return new Fault(Fault.is(error) ? error.code : 'tool_failed', `${first}: ${reasonOf(error)}`);
}

/** Let in before and turned down now: more likely an old credential than a caller who reaches too far. */
const mayHaveExpired = (error: unknown, keys: Keyring, workedOnce: boolean): boolean =>
  workedOnce && keys.used && turnedDown(error);

function expired(tool: string, cause: unknown): Fault {
  const message = `${tool} was let in before and is turned down now: ${reasonOf(cause)}`;
  return new Fault('credential_expired', message);
}

/** Only what is looked at here is taken as JSON here; the gateway does that with every answer in any case. */
const isTakenAsItIs = ({ checks, spec }: BoundTool, redact: Redactor | null): boolean =>
  redact === null && checks?.output === undefined && spec.privacy?.seals === undefined;

async function answered(
  tool: BoundTool,
  call: ToolCall,
  raw: Json,
  redact: Redactor | null,
  seal: (taken: Json) => Promise<Json>,
): Promise<ToolResult> {
  const check = tool.checks?.output;
  const { privacy } = tool.spec;
  // What came back is kept for whoever has to find out what the call did, whatever is said of it.
  let said: Json = null;
  const malformed = (detail: string): ToolResult => result(call, 'malformed', said, redact?.text(detail) ?? detail);
  try {
    const taken = await seal(takeJson(raw, ANSWER_LIMITS));
    said = redact?.json(taken) ?? taken;
    const problems = besidesSealed(check?.(said) ?? [], said, privacy?.seals);
    if (problems.length === 0) return result(call, 'ok', said);
    return malformed(problems.map(({ path, message }) => `${path} ${message}`.trim()).join('; '));
  } catch (error) {
    return malformed(reasonOf(error));
  }
}

/** What a tool throws may hold what it was given. Without a secret in play it is passed on as it is. */
function hidden(error: unknown, keys: Keyring): unknown {
  if (keys.isEmpty) return error;
  const code = Fault.is(error) ? error.code : turnedDown(error) ? 'permission_denied' : 'tool_failed';
  return new Fault(code, redactor(keys.secrets).text(reasonOf(error)));
}

function result({ call_id }: ToolCall, outcome: ToolOutcome, raw: Json, detail?: string): ToolResult {
  const said: ToolResult = { call_id, outcome, raw, spent: NO_COST };
  return detail === undefined ? said : { ...said, detail };
}
