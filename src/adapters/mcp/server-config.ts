import type { AuthProvider, Client, OAuthClientProvider } from '@modelcontextprotocol/client';

/** A server that is started as a process of its own and spoken to over its standard input and output. */
export interface StdioServer {
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to the few harmless variables that a server inherits; nothing else of this process's environment is. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A server that is reached over streamable HTTP. */
export interface HttpServer {
  readonly url: string | URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly authProvider?: AuthProvider | OAuthClientProvider;
}

/** Where tools come from: a server to connect to, or a client that is already connected to one. */
export type McpSource = StdioServer | HttpServer | Client;

export const isStdio = (source: McpSource): source is StdioServer => 'command' in source;
export const isHttp = (source: McpSource): source is HttpServer => 'url' in source;
