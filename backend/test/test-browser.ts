/** The part of a browser that a sign-in needs: cookies by origin, and redirects one at a time. */
export class TestBrowser {
  private readonly jars = new Map<string, Map<string, string>>();

  /** Sets a cookie as another site under the same domain can. */
  plant(address: string, name: string, value: string): void {
    this.jarOf(new URL(address)).set(name, value);
  }

  async go(
    address: string,
    {
      method = 'GET',
      form,
      json,
    }: { method?: string; form?: Record<string, string>; json?: unknown } = {},
  ): Promise<Response> {
    const url = new URL(address);
    const jar = this.jarOf(url);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const body = form
      ? new URLSearchParams(form)
      : json === undefined
        ? null
        : JSON.stringify(json);
    const response = await fetch(url, {
      method,
      body,
      redirect: 'manual',
      headers: {
        ...(cookie && { cookie }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
      },
    });
    for (const line of response.headers.getSetCookie()) keep(jar, line);
    return response;
  }

  /** Follows redirects until a page or until `until` returns true. */
  async follow(
    response: Response,
    { from, until }: { from: string; until: (address: URL) => boolean },
  ): Promise<{ response: Response; address: URL }> {
    let address = new URL(from);
    let current = response;
    for (;;) {
      const location = current.headers.get('location');
      if (location === null) return { response: current, address };
      address = new URL(location, address);
      if (until(address)) return { response: current, address };
      current = await this.go(address.href);
    }
  }

  /** The cookies of an origin, to give to another browser. */
  cookiesOf(origin: string): Map<string, string> {
    return this.jarOf(new URL(origin));
  }

  private jarOf({ origin }: URL): Map<string, string> {
    const jar = this.jars.get(origin) ?? new Map<string, string>();
    this.jars.set(origin, jar);
    return jar;
  }
}

function keep(jar: Map<string, string>, line: string): void {
  const [pair = ''] = line.split(';');
  const at = pair.indexOf('=');
  const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
  const over = /expires=([^;]+)/i.exec(line)?.[1];
  if (value === '' || (over && Date.parse(over) <= Date.now())) jar.delete(name);
  else jar.set(name, value);
}
