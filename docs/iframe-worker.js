/*
 * A worker in a hidden frame, for pages that are opened from the file system: there, browsers refuse
 * to start workers, and the search of the site needs one.
 */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.onmessage = null;
      this.onerror = null;
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.appendChild(this.frame);
      const inner = this.frame.contentWindow;
      inner.document.open();
      inner.document.write("<!doctype html><body></body>");
      inner.document.close();
      // What the script sends comes here; what is sent to it is dispatched in the frame.
      inner.postMessage = (data) => this.emit(data);
      inner.importScripts = (...urls) =>
        urls.reduce((before, next) => before.then(() => this.load(next)), Promise.resolve());
      this.ready = this.load(url);
    }

    load(url) {
      const inner = this.frame.contentWindow.document;
      return new Promise((resolve, reject) => {
        const script = inner.createElement("script");
        script.src = new URL(url, location.href).href;
        script.onload = resolve;
        script.onerror = () => reject(new Error(`Cannot load ${script.src}`));
        inner.body.appendChild(script);
      });
    }

    emit(data) {
      const event = new MessageEvent("message", { data });
      this.dispatchEvent(event);
      if (this.onmessage) this.onmessage(event);
    }

    postMessage(data) {
      this.ready.then(() => {
        const inner = this.frame.contentWindow;
        inner.dispatchEvent(new inner.MessageEvent("message", { data }));
      });
    }

    terminate() {
      this.frame.remove();
    }
  };
}
