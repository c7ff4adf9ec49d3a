import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client';
import { Fault } from '../../model/fault/fault.ts';
import { reasonOf } from '../../model/json/printable.ts';

const UNREACHABLE: ReadonlySet<string> = new Set([
  SdkErrorCode.NotConnected,
  SdkErrorCode.ConnectionClosed,
  SdkErrorCode.SendFailed,
]);

/** Converts an error of an MCP call to a Fault. */
export function failureOf(server: string, error: unknown, gone: string | null): Fault {
  if (Fault.is(error)) return error;
  if (gone !== null) return serverGone(server, gone, error);
  const why = reasonOf(error);
  if (error instanceof UnauthorizedError || (error instanceof SdkHttpError && isForbidden(error.status))) {
    return fault('permission_denied', `the MCP server ${server} refuses its credentials: ${why}`, error);
  }
  if (error instanceof SdkHttpError) {
    return fault('dependency_unavailable', `the MCP server ${server} answered HTTP ${error.status}: ${why}`, error);
  }
  if (error instanceof SdkError && UNREACHABLE.has(error.code)) return serverGone(server, why, error);
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    return fault('step_timeout', `the MCP server ${server} did not answer in time`, error);
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult) {
    return fault('tool_result_invalid', `the MCP server ${server} answered with nonsense: ${why}`, error);
  }
  const verb = error instanceof ProtocolError ? 'refused the call' : 'could not be called';
  return fault('tool_failed', `the MCP server ${server} ${verb}: ${why}`, error);
}

export function serverGone(server: string, why: string, cause?: unknown): Fault {
  return fault('dependency_unavailable', `the MCP server ${server} is gone: ${why}`, cause);
}

/** The fault of an aborted call, which the library reports as a timeout. */
export function callAborted(server: string, cause: unknown): Fault {
  return fault('tool_failed', `the call was called back; the MCP server ${server} was told so`, cause);
}

const isForbidden = (status: number | undefined): boolean => status === 401 || status === 403;

const fault = (code: ConstructorParameters<typeof Fault>[0], message: string, cause: unknown): Fault =>
  new Fault(code, message, { cause });
