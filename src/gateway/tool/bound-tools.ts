import { Fault } from '../../model/fault/fault.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import { ANSWER_LIMITS, type Json, type JsonObject } from '../../model/json/json.ts';
import { reasonOf } from '../../model/json/printable.ts';
import { withoutSealedProblems } from '../../model/json/sealed.ts';
import { takeJson } from '../../model/json/take-json.ts';
import type { Redactor } from '../../model/text/redact/redact.ts';
import { rulesOf } from '../../model/tool/rules/category-rules.ts';
import type { FileSystemRules } from '../../model/tool/rules/file-system.ts';
import type { StepInput } from '../../model/tool/step-input.ts';
import { NO_COST, type ToolCall, type ToolOutcome, type ToolResult, type ToolSpec } from '../../model/tool/tool.ts';
import type {
  BoundTool,
  Caller,
  CallLimits,
  Logger,
  LogLevel,
  LogSink,
  ToolContext,
  ToolInput,
  Tools,
} from '../../ports/bound-tool.ts';
import type { CredentialBroker } from '../../ports/credentials.ts';
import type { FileAccess, WorkspaceFiles } from '../../ports/workspace-files.ts';
import { type CredentialHistory, createCredentialHistory } from '../credentials/credential-history.ts';
import { Keyring } from '../credentials/keyring.ts';
import { type OpenedArguments, openArguments, type Sealing, sealAnswer } from '../dispatch/sealing.ts';
import { NotSentError } from '../dispatch/tool-call-limits.ts';

const STATUSES: readonly unknown[] = [401, 403];

/** Whether an error means that the called service rejected the credential, in the forms that HTTP clients use. */
function isCredentialRejected(error: unknown): boolean {
  if (Fault.is(error)) return error.code === 'permission_denied';
  if (typeof error !== 'object' || error === null) return false;
  const { status, statusCode, response, code } = error as Readonly<Record<string, unknown>>;
  const inner = typeof response === 'object' && response !== null ? Reflect.get(response, 'status') : undefined;
  return [status, statusCode, inner, code].some((code) => STATUSES.includes(code));
}

/** A logger for one call: every line identifies the call, secrets are redacted, and no line can fail the tool. */
function toolLog(sink: LogSink, about: JsonObject, keys: Keyring): Logger {
  const write =
    (level: LogLevel) =>
    (message: string, fields: JsonObject = {}): void => {
      try {
        const { redactor } = keys;
        sink({ level, message: redactor.text(reasonOf(message)), fields: redactor.json(withAbout(fields, about)) });
      } catch {
        // A line that cannot be written is dropped; the call goes on.
      }
    };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

const ignore = (): void => undefined;
const NO_LOG: Logger = Object.freeze({ debug: ignore, info: ignore, warn: ignore, error: ignore });

/** The fields of the call come last, so that a tool cannot forge them. */
function withAbout(fields: JsonObject, about: JsonObject): JsonObject {
  return { ...(takeJson(fields) as JsonObject), ...about };
}

/** Services that tools in this process may use. */
export interface ToolServices {
  readonly credentials?: CredentialBroker;
  readonly log?: LogSink;
  readonly files?: WorkspaceFiles;
}

/** All tools of a registry and their companions (probes and compensations), each once, in order. */
export function withCompanions(tools: readonly BoundTool[]): readonly BoundTool[] {
  const all = new Set(tools);
  for (const tool of all) for (const companion of tool.companions ?? []) all.add(companion);
  return [...all];
}

/** The tools port for code in this process. A tool that returns nothing has the outcome `empty`, not `ok`. */
export function boundTools(tools: readonly BoundTool[], services: ToolServices = {}, sealing?: Sealing): Tools {
  const byName = new Map(withCompanions(tools).map((tool) => [tool.spec.name, tool]));
  // The roots of workspaces are remembered now, so that one that is replaced before the first call is found too.
  for (const { spec } of byName.values()) {
    const rules = fileRules(spec);
    if (rules !== null) services.files?.home(rules.root);
  }
  const attempting = { ...services, worked: createCredentialHistory(), sealing };
  return {
    call: (call, limits) => attempt(byName.get(call.tool), call, limits, attempting),
    probing: (name) => byName.get(name)?.probing,
    problems: (name, args) => {
      const tool = byName.get(name);
      return withoutSealedProblems(tool?.checks?.input?.(args) ?? [], args, tool?.spec.privacy?.opens);
    },
  };
}

/** Without a key a retry looks the same as a second order. */
function missingKeyFault(tool: string): Fault {
  return new Fault('permission_denied', `${tool} changes something and was called without an idempotency key`);
}

interface Attempting extends ToolServices {
  readonly worked: CredentialHistory;
  readonly sealing: Sealing | undefined;
}

async function attempt(
  tool: BoundTool | undefined,
  call: ToolCall,
  limits: CallLimits,
  { credentials, log, files, worked, sealing }: Attempting,
): Promise<ToolResult> {
  if (tool === undefined) return result(call, 'error', null, `there is no code behind ${call.tool}`);
  const { spec } = tool;
  if (spec.side_effect && call.idempotency_key === '') throw missingKeyFault(call.tool);
  const { tenantId, actor } = limits.caller;
  const name = `${call.tool}\n${tenantId}\n${actor}`;
  const asking = { tool: call.tool, refresh: worked.hasExpired(name) };
  const handles = limits.caller.handles?.() ?? NOTHING;
  const opened =
    opensNothing(spec) && handles.length === 0
      ? { args: call.args, values: NOTHING }
      : await open(sealing, spec, limits.caller, call, handles);
  const keys = new Keyring(credentials, asking, limits, opened.values);
  const logger = log === undefined ? NO_LOG : logOf(log, call, limits, keys);
  const context = contextOf(call, limits, { keys, log: logger, files: () => filesOf(spec, files) });
  const args = deepFreeze(opened.args);
  let first = '';
  try {
    let raw: Json | undefined;
    try {
      raw = await tool.execute(args, context);
    } catch (error) {
      if (!mayHaveExpired(error, keys, worked.has(name))) throw error;
      // A call with a side effect is not retried here; the next call gets a renewed credential.
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
    const shown = keys.isEmpty ? null : keys.redactor;
    const answer = needsNoProcessing(tool, shown)
      ? result(call, 'ok', raw)
      : await answered(tool, call, raw, shown, (taken) => sealAnswer(sealing, spec, tenantId, taken));
    return withFirst(answer, keys, first);
  } catch (error) {
    throw redactError(first === '' ? error : second(call.tool, first, error), keys);
  }
}

const NOTHING: readonly string[] = Object.freeze([]);

const opensNothing = ({ privacy }: ToolSpec): boolean => privacy?.opens === undefined;

async function open(
  sealing: Sealing | undefined,
  spec: ToolSpec,
  { tenantId }: Caller,
  { args }: ToolCall,
  handles: readonly string[],
): Promise<OpenedArguments> {
  try {
    return await openArguments(sealing, spec, tenantId, args, handles);
  } catch (error) {
    throw new NotSentError(error);
  }
}

/** The context of a call. Signal and model client are created on first read, because few tools use them. */
function contextOf(
  call: ToolCall,
  limits: CallLimits,
  { keys, log, files }: { readonly keys: Keyring; readonly log: Logger; readonly files: () => FileAccess },
): ToolContext {
  const { runId, tenantId, actor } = limits.caller;
  return {
    idempotencyKey: call.idempotency_key,
    get signal() {
      return limits.signal;
    },
    runId,
    stepId: call.step_id,
    inputs: limits.inputs === undefined ? NO_INPUTS : deepFreeze(limits.inputs.map(toToolInput)),
    tenantId,
    actor,
    credentials: () => keys.values(),
    log,
    get files() {
      return files();
    },
    get models() {
      return limits.models;
    },
    reportGpuMs: (ms) => limits.reportGpuMs(ms),
  };
}

const NO_INPUTS: readonly ToolInput[] = Object.freeze([]);

const toToolInput = ({
  key,
  types,
  value,
  step_id: stepId,
  evidence_id: id,
  source: tool,
  trusted,
}: StepInput): ToolInput => ({
  key,
  types,
  value,
  evidence: { id, stepId, tool, trusted },
});

const fileRules = (spec: ToolSpec): FileSystemRules | null =>
  spec.category === 'file_system' ? rulesOf({ ...spec, category: 'file_system' }) : null;

/** The files that the rules of a tool permit. A tool without such rules is refused each of them. */
function filesOf(spec: ToolSpec, files: ToolServices['files']): FileAccess {
  const rules = fileRules(spec);
  if (rules !== null && files !== undefined) return files.within(rules);
  const refuse = async (): Promise<never> => {
    const message = `${spec.name} has no files: give it the category file_system with rules that name root and allow`;
    throw new Fault('permission_denied', message);
  };
  return { read: refuse, write: refuse };
}

function logOf(sink: LogSink, call: ToolCall, { caller }: CallLimits, keys: Keyring): Logger {
  const { runId, tenantId } = caller;
  return toolLog(sink, { run_id: runId, step_id: call.step_id, tenant_id: tenantId, tool: call.tool }, keys);
}

const onlyReads = ({ spec }: BoundTool): boolean => !spec.side_effect && spec.approval_mode === 'read_only';

/** Adds the rejection of the first attempt to the detail of the result. */
function withFirst(answer: ToolResult, keys: Keyring, first: string): ToolResult {
  if (first === '') return answer;
  return {
    ...answer,
    detail: [keys.redactor.text(first), answer.detail ?? ''].filter((part) => part !== '').join('; '),
  };
}

function second(tool: string, first: string, error: unknown): Fault {
  if (isCredentialRejected(error)) return expired(tool, `${first}: ${reasonOf(error)}`);
  return new Fault(Fault.is(error) ? error.code : 'tool_failed', `${first}: ${reasonOf(error)}`);
}

/** A credential that worked before and is rejected now has more likely expired than lost its permission. */
const mayHaveExpired = (error: unknown, keys: Keyring, workedOnce: boolean): boolean =>
  workedOnce && keys.used && isCredentialRejected(error);

function expired(tool: string, cause: unknown): Fault {
  const message = `${tool} was let in before and is turned down now: ${reasonOf(cause)}`;
  return new Fault('credential_expired', message);
}

/** Whether the result needs no processing here. The gateway validates every result as JSON anyway. */
const needsNoProcessing = ({ checks, spec }: BoundTool, redact: Redactor | null): boolean =>
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
  // The value is kept even if it is malformed, so that the effect of the call can be investigated.
  let kept: Json = null;
  const malformed = (detail: string): ToolResult => result(call, 'malformed', kept, redact?.text(detail) ?? detail);
  try {
    const taken = await seal(takeAnswer(tool.spec, raw));
    kept = redact?.json(taken) ?? taken;
    const problems = withoutSealedProblems(check?.(kept) ?? [], kept, privacy?.seals);
    if (problems.length === 0) return result(call, 'ok', kept);
    return malformed(problems.map(({ path, message }) => `${path} ${message}`.trim()).join('; '));
  } catch (error) {
    return malformed(reasonOf(error));
  }
}

/** Takes an answer as JSON. A message about an answer that is yet to be sealed quotes no part of it. */
function takeAnswer({ name, privacy }: ToolSpec, raw: Json): Json {
  try {
    return takeJson(raw, ANSWER_LIMITS);
  } catch (error) {
    if (privacy?.seals === undefined || !Fault.is(error)) throw error;
    throw new Fault(
      error.code,
      `the answer of ${name} cannot be stored, and is not quoted because the tool seals values`,
    );
  }
}

/** Redacts a thrown error, which may contain secrets. Without secrets it is passed on unchanged. */
function redactError(error: unknown, keys: Keyring): unknown {
  if (keys.isEmpty) return error;
  const code = Fault.is(error) ? error.code : isCredentialRejected(error) ? 'permission_denied' : 'tool_failed';
  return new Fault(code, keys.redactor.text(reasonOf(error)));
}

function result({ call_id }: ToolCall, outcome: ToolOutcome, raw: Json, detail?: string): ToolResult {
  const plain: ToolResult = { call_id, outcome, raw, spent: NO_COST };
  return detail === undefined ? plain : { ...plain, detail };
}
