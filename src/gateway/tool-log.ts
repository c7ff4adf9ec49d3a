import type { JsonObject } from '../model/json.ts';
import { reasonOf } from '../model/printable.ts';
import { takeJson } from '../model/take-json.ts';
import type { Logger, LogLevel, LogSink } from '../ports/log.ts';
import { redactor } from './credentials/redact.ts';

/** A log for one call: every line carries what the call is, and no line carries a secret or stops the tool. */
export function toolLog(sink: LogSink, about: JsonObject, secrets: ReadonlySet<string>): Logger {
  const redact = redactor(secrets);
  const write =
    (level: LogLevel) =>
    (message: string, fields: JsonObject = {}): void => {
      try {
        sink({ level, message: redact.text(reasonOf(message)), fields: redact.json(withAbout(fields, about)) });
      } catch {
        // A line that cannot be written is lost; the call it is about is not.
      }
    };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

const unread = (): void => undefined;
export const NOBODY_READS: Logger = Object.freeze({ debug: unread, info: unread, warn: unread, error: unread });

/** What the call is stands last: a tool cannot speak in the name of another. */
function withAbout(fields: JsonObject, about: JsonObject): JsonObject {
  return { ...(takeJson(fields) as JsonObject), ...about };
}
