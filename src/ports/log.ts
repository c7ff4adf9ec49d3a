import type { JsonObject } from '../model/json/json.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: JsonObject;
}

/** The receiver of log lines for operators. It must neither throw nor block. */
export type LogSink = (line: LogLine) => void;

/** The logger of a tool's code. Every line already names the run, the step and the tool. */
export type Logger = Readonly<Record<LogLevel, (message: string, fields?: JsonObject) => void>>;
