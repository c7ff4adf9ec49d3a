import { Fault } from '../model/fault.ts';
import { deepFreeze } from '../model/freeze.ts';
import { ANSWER_LIMITS, type Json } from '../model/json.ts';
import { reasonOf } from '../model/printable.ts';
import { besidesSealed } from '../model/sealed.ts';
import { takeJson } from '../model/take-json.ts';
import { NO_COST, type ToolCall, type ToolOutcome, type ToolResult } from '../model/tool.ts';
import type { BoundTool, ToolContext } from '../ports/bound-tool.ts';
import type { CredentialBroker } from '../ports/credentials.ts';
import type { LogSink } from '../ports/log.ts';
import type { CallLimits, Tools } from '../ports/tools.ts';
import { type Keyring, keyring } from './credentials/keyring.ts';
import { type Redactor, redactor } from './credentials/redact.ts';
import { turnedDown } from './credentials/turned-down.ts';
import { type WorkedBefore, workedBefore } from './credentials/worked-before.ts';
import { NeverHanded } from './never-handed.ts';
import { openArguments, type Sealing, sealAnswer } from './sealing.ts';
import { toolLog } from './tool-log.ts';

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
  const worked = workedBefore();
  return {
    call: async (call, limits) => {
      const tool = byName.get(call.tool);
      if (tool === undefined) return result(call, 'error', { detail: `there is no code behind ${call.tool}` });
      if (tool.spec.side_effect && call.idempotency_key === '') throw unkeyed(call.tool);
      return await attempt(tool, call, limits, { ...services, worked, sealing });
    },
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
  tool: BoundTool,
  call: ToolCall,
  limits: CallLimits,
  { credentials, log, worked, sealing }: Attempting,
): Promise<ToolResult> {
  const { runId, tenantId, actor, scopes } = limits.caller;
  const name = `${call.tool}\n${tenantId}\n${actor}`;
  const asking = { tool: call.tool, runId, tenantId, actor, scopes, refresh: worked.hasExpired(name) };
  const opened = await openArguments(sealing, tool.spec, tenantId, call.args).catch((error: unknown) => {
    throw new NeverHanded(error);
  });
  const keys = keyring(credentials, asking, limits.signal, opened.values);
  const redact = redactor(keys.secrets);
  const about = { run_id: runId, step_id: call.step_id, tenant_id: tenantId, tool: call.tool };
  const context: ToolContext = {
    idempotencyKey: call.idempotency_key,
    signal: limits.signal,
    runId,
    stepId: call.step_id,
    tenantId,
    credentials: () => keys.values(),
    log: toolLog(log, about, redact),
    models: limits.models,
  };
  const execute = async (): Promise<Json | undefined> => await tool.execute(deepFreeze(opened.args), context);
  let first = '';
  try {
    const raw = await execute().catch(async (error: unknown) => {
      if (!mayHaveExpired(error, keys, worked.has(name))) throw error;
      // One intent is one try of what changes something: the next one, if there is one, is given a renewed credential.
      if (!onlyReads(tool)) {
        worked.noteExpired(name);
        throw expired(call.tool, error);
      }
      first = `turned down at first: ${reasonOf(error)}; then tried once more with a renewed credential`;
      keys.renew();
      return await execute();
    });
    if (keys.used()) worked.note(name);
    const shown = keys.secrets.size === 0 ? null : redact;
    const seal = (taken: Json): Promise<Json> => sealAnswer(sealing, tool.spec, tenantId, taken);
    return withFirst(await answered(tool, call, raw, shown, seal), redact.text(first));
  } catch (error) {
    throw hidden(first === '' ? error : second(call.tool, first, error), keys, redact);
  }
}

const onlyReads = ({ spec }: BoundTool): boolean => !spec.side_effect && spec.approval_mode === 'read_only';

/** Both tries are on record with the one answer. */
const withFirst = (said: ToolResult, first: string): ToolResult =>
  first === '' ? said : { ...said, detail: [first, said.detail ?? ''].filter((part) => part !== '').join('; ') };

function second(tool: string, first: string, error: unknown): Fault {
  if (turnedDown(error)) return expired(tool, `${first}: ${reasonOf(error)}`);
  return new Fault(Fault.is(error) ? error.code : 'tool_failed', `${first}: ${reasonOf(error)}`);
}

/** Let in before and turned down now: more likely an old credential than a caller who reaches too far. */
const mayHaveExpired = (error: unknown, keys: Keyring, workedOnce: boolean): boolean =>
  workedOnce && keys.used() && turnedDown(error);

function expired(tool: string, cause: unknown): Fault {
  const message = `${tool} was let in before and is turned down now: ${reasonOf(cause)}`;
  return new Fault('credential_expired', message);
}

/** Only what is looked at here is taken as JSON here; the gateway does that with every answer in any case. */
async function answered(
  tool: BoundTool,
  call: ToolCall,
  raw: Json | undefined,
  redact: Redactor | null,
  seal: (taken: Json) => Promise<Json>,
): Promise<ToolResult> {
  if (raw === undefined || raw === null) return result(call, 'empty', {});
  const check = tool.checks?.output;
  const { privacy } = tool.spec;
  if (redact === null && check === undefined && privacy?.seals === undefined) return result(call, 'ok', { raw });
  // What came back is kept for whoever has to find out what the call did, whatever is said of it.
  let said: Json = null;
  const malformed = (detail: string): ToolResult =>
    result(call, 'malformed', { raw: said, detail: redact?.text(detail) ?? detail });
  try {
    const taken = await seal(takeJson(raw, ANSWER_LIMITS));
    said = redact?.json(taken) ?? taken;
    const problems = besidesSealed(check?.(said) ?? [], said, privacy?.seals);
    if (problems.length === 0) return result(call, 'ok', { raw: said });
    return malformed(problems.map(({ path, message }) => `${path} ${message}`.trim()).join('; '));
  } catch (error) {
    return malformed(reasonOf(error));
  }
}

/** What a tool throws may hold what it was given. Without a secret in play it is passed on as it is. */
function hidden(error: unknown, { secrets }: Keyring, redact: Redactor): unknown {
  if (secrets.size === 0) return error;
  const code = Fault.is(error) ? error.code : turnedDown(error) ? 'permission_denied' : 'tool_failed';
  return new Fault(code, redact.text(reasonOf(error)));
}

function result(
  call: ToolCall,
  outcome: ToolOutcome,
  said: { readonly raw?: Json; readonly detail?: string },
): ToolResult {
  return { call_id: call.call_id, outcome, raw: null, spent: NO_COST, ...said };
}
