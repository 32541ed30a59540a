import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.stream.Stream;

import org.apache.xbean.asm9.ClassReader;
import org.apache.xbean.asm9.ClassVisitor;
import org.apache.xbean.asm9.MethodVisitor;
import org.apache.xbean.asm9.Opcodes;
import org.apache.xbean.asm9.Type;

/**
 * Prints the methods, constructors and fields outside a JAR that its classes name and that are not on
 * the class path, each with a class that names it. Then prints the classes of the package {@code spark}
 * that find their private members of Spark by name, and do not find all of them.
 *
 * <p>The JAR is compiled against one version of Spark and runs on several. What one of them lacks would
 * be a NoSuchMethodError when a user first gets there.
 */
public final class LinkCheck {
  private static final Map<String, String> missing = new TreeMap<>();
  private static final String OWN = "io/github/variantshredded/";
  private static final Set<Class<?>> HANDLES =
      Set.of(MethodHandle.class, VarHandle.class, Method.class, Field.class);

  public static void main(String[] args) throws Exception {
    try (JarFile jar = new JarFile(args[0])) {
      for (var entry : (Iterable<java.util.jar.JarEntry>) jar.stream()::iterator) {
        if (entry.getName().startsWith(OWN) && entry.getName().endsWith(".class")) {
          try (var in = jar.getInputStream(entry)) {
            new ClassReader(in).accept(new Visitor(), ClassReader.SKIP_DEBUG);
          }
          if (entry.getName().startsWith(OWN + "spark/")) checkHandles(entry.getName());
        }
      }
    }
    missing.forEach((member, user) -> System.out.println(member + " in " + user));
  }

  /** Initializes a class, which looks its members up, and looks for handles that it did not find. */
  private static void checkHandles(String file) {
    String name = file.substring(0, file.length() - ".class".length()).replace('/', '.');
    try {
      Class<?> type = Class.forName(name);
      for (Field field : type.getDeclaredFields()) {
        boolean isHandle = Modifier.isStatic(field.getModifiers()) && HANDLES.contains(field.getType());
        if (isHandle) {
          field.setAccessible(true);
          if (field.get(null) == null) missing.put(name + "." + field.getName(), name);
        }
      }
    } catch (ReflectiveOperationException | LinkageError e) {
      missing.put(name + ": " + (e.getCause() == null ? e : e.getCause()), name);
    }
  }

  private static final class Visitor extends ClassVisitor {
    private String user;

    Visitor() {
      super(Opcodes.ASM9);
    }

    @Override
    public void visit(
        int version, int access, String name, String signature, String parent, String[] interfaces) {
      user = name;
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String descriptor, String signature, String[] exceptions) {
      return new MethodVisitor(Opcodes.ASM9) {
        @Override
        public void visitMethodInsn(
            int opcode, String owner, String method, String descriptor, boolean isInterface) {
          // Scala adds calls of all default methods of an interface, for whoever may want them.
          boolean isForwarder = isInterface && opcode == Opcodes.INVOKESPECIAL;
          if (!isForwarder) check(owner, method, descriptor, true);
          if (isForeign(owner)) checkKind(owner, isInterface);
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String field, String descriptor) {
          check(owner, field, descriptor, false);
        }
      };
    }

    private void check(String owner, String name, String descriptor, boolean isMethod) {
      if (isForeign(owner) && !isThere(owner, name, descriptor, isMethod)) {
        missing.putIfAbsent(owner + "." + name + " " + descriptor, user);
      }
    }

    /** An interface that was a class in another version cannot be called by what was compiled for it. */
    private void checkKind(String owner, boolean isInterface) {
      try {
        if (classOf(owner).isInterface() != isInterface) {
          missing.putIfAbsent(owner + (isInterface ? " as an interface" : " as a class"), user);
        }
      } catch (ClassNotFoundException | LinkageError e) {
        // The check of the method says so.
      }
    }
  }

  private static boolean isForeign(String owner) {
    return !owner.startsWith("[") && !owner.startsWith(OWN);
  }

  private static Class<?> classOf(String owner) throws ClassNotFoundException {
    return Class.forName(owner.replace('/', '.'), false, LinkCheck.class.getClassLoader());
  }

  private static boolean isThere(String owner, String name, String descriptor, boolean isMethod) {
    try {
      Class<?> type = classOf(owner);
      if (!isMethod) return hasField(type, name, descriptor);
      if (name.equals("<init>")) {
        return Arrays.stream(type.getDeclaredConstructors())
            .map(Type::getConstructorDescriptor)
            .anyMatch(descriptor::equals);
      }
      return hasMethod(type, name, descriptor) || hasMethod(Object.class, name, descriptor);
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }

  private static boolean hasMethod(Class<?> type, String name, String descriptor) {
    // Method handles are called with any types.
    boolean isOpen = type == MethodHandle.class || type == VarHandle.class;
    return isOpen
        || Arrays.stream(type.getDeclaredMethods())
            .filter(method -> method.getName().equals(name))
            .map(Type::getMethodDescriptor)
            .anyMatch(descriptor::equals)
        || parents(type).anyMatch(parent -> hasMethod(parent, name, descriptor));
  }

  private static boolean hasField(Class<?> type, String name, String descriptor) {
    return Arrays.stream(type.getDeclaredFields())
            .filter(field -> field.getName().equals(name))
            .anyMatch(field -> Type.getDescriptor(field.getType()).equals(descriptor))
        || parents(type).anyMatch(parent -> hasField(parent, name, descriptor));
  }

  private static Stream<Class<?>> parents(Class<?> type) {
    Stream<Class<?>> interfaces = Arrays.stream(type.getInterfaces());
    return type.getSuperclass() == null
        ? interfaces
        : Stream.concat(Stream.of(type.getSuperclass()), interfaces);
  }
}
