/* eslint-disable no-undef -- it runs in a browser */
/**
 * Runs in a hostile page: tries a server in every way that a page has, with the right token where the way takes one. Nothing is left to the
 * server's secret, so that what refuses is the check of hosts and sites alone.
 */
globalThis.attack = async function attack({ url, paths, token }) {
  const loot = {};
  const body = JSON.stringify({ task: 'battleOfSexes', model: 'm', messages: [], action: 'id' });
  const read = async (name, path, init) => {
    loot[`${name} ${path}`] = await fetch(url + path, init).then(
      async (answer) => (answer.type === 'opaque' ? 'opaque' : `${answer.status} ${await answer.text()}`),
      () => 'refused',
    );
  };
  const bearer = { authorization: `Bearer ${token}` };
  for (const path of paths) {
    await read('get', path, {});
    await read('opaque get', path, { mode: 'no-cors', credentials: 'include' });
    await read('get with the token', path, { headers: bearer });
    await read('simple post', path, { method: 'POST', mode: 'no-cors', body });
    await read('form post', path, {
      method: 'POST',
      mode: 'no-cors',
      body: new URLSearchParams({ task: 'battleOfSexes' }),
    });
    await read('blob post', path, { method: 'POST', mode: 'no-cors', body: new Blob([body]) });
    await read('json post', path, { method: 'POST', headers: { ...bearer, 'content-type': 'application/json' }, body });
    await read('delete', path, { method: 'DELETE', headers: bearer });
    loot[`beacon ${path}`] = navigator.sendBeacon(url + path, body) ? 'opaque' : 'refused';
    loot[`image ${path}`] = await new Promise((resolve) => {
      const image = new Image();
      image.onload = () => resolve('loaded');
      image.onerror = () => resolve('refused');
      image.src = url + path;
    });
    loot[`script ${path}`] = await new Promise((resolve) => {
      const script = document.createElement('script');
      script.onload = () => resolve('opaque');
      script.onerror = () => resolve('refused');
      script.src = url + path;
      document.head.append(script);
    });
    loot[`events ${path}`] = await new Promise((resolve) => {
      const events = new EventSource(url + path);
      const done = (what) => {
        events.close();
        resolve(what);
      };
      events.onopen = () => done('open');
      events.onerror = () => done('refused');
    });
    loot[`socket ${path}`] = await new Promise((resolve) => {
      const socket = new WebSocket(url.replace('http', 'ws') + path);
      socket.onopen = () => {
        socket.send(JSON.stringify({ type: 'reset', data: {} }));
        resolve('open');
      };
      socket.onerror = () => resolve('refused');
    });
    loot[`form ${path}`] = await new Promise((resolve) => {
      const frame = document.createElement('iframe');
      const form = document.createElement('form');
      frame.name = `frame-${Math.random()}`;
      Object.assign(form, { action: url + path, method: 'POST', enctype: 'text/plain', target: frame.name });
      const field = document.createElement('input');
      Object.assign(field, { name: '{"task":"battleOfSexes","x":"', value: '"}' });
      form.append(field);
      document.body.append(frame, form);
      const look = () => {
        try {
          resolve(`read ${frame.contentDocument.body.innerText}`);
        } catch {
          resolve('opaque');
        }
      };
      // The first load is that of the empty frame.
      setTimeout(() => {
        frame.onload = look;
        form.submit();
      }, 0);
    });
  }
  return loot;
};
