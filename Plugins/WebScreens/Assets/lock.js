// For the lock's pages and the host's own.
'use strict';
(() => {
  const root = document.documentElement;
  const base = document.currentScript.src.replace(/[^/]*$/, '');
  const data = root.dataset;
  const isScreen = 'shakes' in data && 'page' in data;
  // The first may stand still during sleep.
  const now = () => [performance.now(), Date.now()];
  const isOld = then => now().some((time, i) => Math.abs(time - then[i]) > 10000);
  const find = id => document.getElementById(id);
  const one = selector => document.querySelector(selector);
  const tab = crypto.getRandomValues(new Uint32Array(2)).join('-');
  const asIs = { createHTML: text => text };
  const policy = isScreen && window.trustedTypes?.createPolicy('portcullis', asIs) || asIs;
  let revision = +data.revision || 0, shakes = +data.shakes || 0, count = +data.count || 0;
  let waiting = [], sending, isGone, isActive = 0, heard = now(), turns = 0, veil;

  const post = (path, body) => fetch(base + path, {
    method: 'POST', cache: 'no-store', redirect: 'error', keepalive: true, signal: AbortSignal.timeout?.(8000),
    headers: { 'X-Portcullis': '1' }, body: typeof body === 'string' ? body : new URLSearchParams(body),
  });

  // Empties the page, and loads it or another one.
  const leave = to => {
    if (isGone) return;
    isGone = true;
    root.replaceChildren();
    location.replace(to || isScreen && data.reload || location.href.split('#')[0]);
  };

  // Covers a host's page that is hidden, or cut off.
  const cover = isCovered => {
    if (isScreen || !isCovered === !veil) return;
    if (!isCovered) { veil.remove(); veil = null; return; }
    veil = document.createElement('div');
    // A popover lies above the host's dialogs.
    veil.popover = 'manual';
    veil.style = 'all:unset;position:fixed;inset:0;z-index:2147483647;background:Canvas';
    root.append(veil);
    veil.showPopover?.();
  };

  const shake = () => {
    navigator.vibrate?.([30, 50, 30]);
    for (const id of ['entry', 'field']) {
      const { classList } = find(id);
      classList.remove('shake');
      void find(id).offsetWidth;
      classList.add('shake');
    }
  };

  const apply = patch => {
    if (patch.since > revision) return pulse();
    if (patch.revision < revision) return;
    const active = document.activeElement, focus = active?.id;
    let lost;
    for (const [id, html] of Object.entries(patch.regions)) {
      const region = find(id);
      if (!region) return leave();
      // What is being typed is newer.
      if (id === 'search' && region.contains(active) && active.id === 'query') continue;
      lost ||= region.contains(active);
      region.innerHTML = policy.createHTML(html);
    }
    document.title = patch.title;
    find('screen').setAttribute('aria-busy', patch.isBusy);
    const wasAsking = find('beneath').inert;
    find('beneath').inert = patch.isAsking;
    if (!waiting.length && 'filled' in patch) {
      document.querySelectorAll('.dots i').forEach((dot, i) => dot.classList.toggle('full', i < patch.filled));
      const code = one('.code');
      if (code && !patch.filled) code.value = '';
    }
    if (patch.isAsking && !wasAsking) focusOn(no());
    else if (wasAsking && !patch.isAsking || lost) focusOn(find(focus) || first());
    if (patch.shakes > shakes) shake();
    shakes = patch.shakes;
    revision = patch.revision;
  };

  const typed = () => one('#text:not(.code)');
  const first = () => typed() || find('title');
  const no = () => one('#dialog [data-cancel]');
  const focusOn = element => element?.focus({ preventScroll: true });

  // Whose page it is: the cookie may be another session's by now.
  let owner;
  const take = message => {
    if (isGone) return;
    owner ??= message.session;
    if (message.isOver || message.session !== owner || (isScreen ? message.screen !== data.screen : message.isLocked)) {
      return leave(isScreen && !message.isLocked && !message.isOver && data.screen !== 'lock' && data.next);
    }
    if (isScreen && message.patch) apply(message.patch);
    if (isScreen) ask(message);
    return true;
  };

  // The window with the focus asks once for each prompt.
  let asked = '', asking, newest = 0, turn = Promise.resolve();
  const ask = ({ number, prompt }) => {
    // Overtaken.
    if (number < newest) return;
    newest = number;
    if (asking && (!prompt || prompt.id !== asked)) asking.abort();
    if (!prompt || prompt.id === asked || !document.hasFocus()) return;
    asked = prompt.id;
    const own = asking = new AbortController();
    turn = turn.then(() => show(prompt, own));
  };
  const show = async (prompt, own) => {
    if (own.signal.aborted || isGone) return;
    let result;
    try {
      const key = PublicKeyCredential, options = JSON.parse(prompt.options), { signal } = own;
      const made = await (prompt.creates
        ? navigator.credentials.create({ publicKey: key.parseCreationOptionsFromJSON(options), signal })
        : navigator.credentials.get({ publicKey: key.parseRequestOptionsFromJSON(options), signal }));
      result = made.toJSON();
    } catch (error) { result = { error: error.name }; }
    if (own === asking) asking = null;
    if (own.signal.aborted || isGone) return;
    try { await answer(await post('prompt/' + prompt.id, JSON.stringify(result))); } catch { /* It runs out. */ }
  };

  const answer = async response => {
    if (response.ok) return take(await response.json());
    if ([401, 403, 409, 410].includes(response.status)) leave();
  };

  const pulse = async () => {
    const isVisible = +!document.hidden, sent = now(), before = turns;
    if (!isVisible || isOld(heard)) cover(true);
    try {
      const hasPasskeys = +!!window.PublicKeyCredential?.parseRequestOptionsFromJSON;
      const response = post('pulse', { tab, isVisible, isActive, hasPasskeys, since: revision });
      isActive = 0;
      // An absence since the request may have locked.
      if (await answer(await response) && isVisible && turns === before && !isOld(sent)) {
        heard = now();
        cover(false);
      }
    } catch { /* It is asked again soon. */ }
  };

  const send = async again => {
    if (isGone || !again && (sending || !waiting.length)) return;
    sending = true;
    const fields = again || [['page', data.page], ['count', count++], ['since', revision], ['tab', tab], ...waiting.splice(0, 32)];
    try {
      const response = await post('input', fields);
      if (response.status === 429) return setTimeout(send, 1000, fields);
      await answer(response);
    } catch { leave(); }
    sending = false;
    send();
  };
  const put = (name, value) => { waiting.push([name, value]); send(); };
  const digit = value => {
    if (one('#pad [aria-disabled]')) return;
    navigator.vibrate?.(8);
    one('.dots i:not(.full)')?.classList.add('full');
    put('digit', value);
  };
  const hasPad = () => one('.keys') && !find('beneath').inert;

  const listen = form => {
    root.classList.add('scripted');
    form.addEventListener('submit', event => {
      event.preventDefault();
      const button = event.submitter;
      if (!button || button.getAttribute('aria-disabled')) return;
      const { id, name, value } = button;
      if (name === 'digit') return digit(value);
      const field = find('text');
      // Return, also in a new field.
      const enters = id === 'enter' && typed();
      if (field?.value && (enters || name === 'submit' || value === 'done')) {
        put('text', field.value);
        field.value = '';
      }
      if (name) put(enters ? 'submit' : name, value);
    });
    let later;
    form.addEventListener('input', ({ target }) => {
      if (target.id === 'query') {
        clearTimeout(later);
        later = setTimeout(() => put('search', target.value), 150);
      } else if (target.classList.contains('code')) {
        put('text', target.value.replace(/[^0-9]/g, '') || ' ');
      }
    });
    addEventListener('keydown', event => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      if (event.key === 'Escape') {
        (no() || one('#controls [data-cancel]'))?.click();
      } else if (event.target.tagName !== 'INPUT' && hasPad()) {
        if (/^[0-9]$/.test(event.key)) digit(event.key);
        else if (event.key === 'Backspace') put('delete', 1);
      }
    });
    addEventListener('paste', event => {
      if (event.target.tagName === 'INPUT' || !hasPad()) return;
      const text = event.clipboardData.getData('text').replace(/\s/g, '');
      if (/^[0-9]{4,12}$/.test(text)) for (const value of text) digit(value);
    });
    focusOn(find('beneath').inert ? no() : first());
  };

  // One stream for all tabs.
  const channel = window.BroadcastChannel && new BroadcastChannel('portcullis');
  if (channel) channel.onmessage = event => take(event.data);
  const follow = () => {
    const stream = new EventSource(base + 'stream');
    stream.onmessage = ({ data }) => {
      const message = JSON.parse(data);
      channel.postMessage(message);
      take(message);
    };
    stream.onerror = () => {
      if (stream.readyState !== stream.CLOSED) return;
      pulse();
      setTimeout(() => isGone || follow(), 2000);
    };
    return new Promise(() => {});
  };
  if (navigator.locks && channel) navigator.locks.request('portcullis', follow);

  for (const kind of ['pointerdown', 'keydown', 'wheel']) {
    addEventListener(kind, () => { isActive = 1; }, { capture: true, passive: true });
  }
  document.addEventListener('visibilitychange', () => { turns++; pulse(); });
  addEventListener('focus', pulse);
  addEventListener('pagehide', () => { if (!isGone) post('pulse', { tab, isActive }).catch(() => {}); });
  addEventListener('pageshow', event => event.persisted && leave());
  setInterval(() => document.hidden || isGone || pulse(), 3000);
  setInterval(() => isOld(heard) && cover(true), 1000);

  // The script is deferred.
  if (isScreen) listen(find('screen'));
  pulse();
})();
